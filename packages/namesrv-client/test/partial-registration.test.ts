import type { DataVersion } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { topicTable } from './broker-fixture.js';
import { RegistrarBench } from './registrar-bench.js';
import { registeredBody, type ScriptedNameServer } from './scripted-name-server.js';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `T${index + 1}`);

/** Version and number of topics of every registration. */
function sent({ requests }: ScriptedNameServer): unknown[] {
  return requests.map((request) => {
    const { dataVersion, topicConfigTable } = registeredBody(request).topicConfigSerializeWrapper;
    return [dataVersion.counter, topicConfigTable?.size];
  });
}

describe('a table in parts', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  const splitting = () => ({
    current: () => bench.table,
    nextDataVersion: (): DataVersion => {
      const { dataVersion } = bench.table;
      bench.table = { ...bench.table, dataVersion: { ...dataVersion, counter: Number(dataVersion.counter) + 1 } };
      return bench.table.dataVersion;
    },
  });

  it('has so many topics in each, with versions that rise, each period (R32)', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(0, ...names(13));
    const broker = bench.registrar([server], { topics: splitting(), splitRegistrationSize: 5 });
    await broker.start();
    await bench.passing(broker, 10_000);
    const parts = [5, 5, 3, 5, 5, 3];
    expect(sent(server)).to.deep.equal(parts.map((size, index) => [index + 1, size]));
  });

  it('stays whole, with its version, while it fits, and has no empty part', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(7, ...names(5));
    const broker = bench.registrar([server], { topics: splitting(), splitRegistrationSize: 5 });
    await broker.start();
    bench.table = topicTable(8, ...names(10));
    await broker.topicsChanged();
    expect(sent(server)).to.deep.equal([
      [7, 5],
      [9, 5],
      [10, 5],
    ]);
  });

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const)
    it(`is whole in the routes of a name server of ${profile}`, async () => {
      const server = await bench.nameServer({ profile });
      const asking = new NameServerClient();
      bench.cleanUps.push(() => asking.close());
      bench.table = topicTable(0, ...names(4));
      const broker = bench.registrar([server], { topics: splitting(), splitRegistrationSize: 1 });
      expect((await broker.start())?.outcomes[0]?.status).to.equal('ok');
      for (const topic of names(4)) expect(await asking.getRouteInfoByTopic(server.address, topic)).to.be.an('object');
    });

  it('is only what changed where the name server has the version before, and whole where it has not (R15, R37)', async () => {
    const [steady, restarted] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    bench.table = topicTable(3, ...names(3));
    const broker = bench.registrar([steady, restarted]);
    await broker.start();
    restarted.answer = () => RemotingCommand.response(1, 'not now');
    const change = async (counter: number): Promise<void> => {
      const since = bench.table.dataVersion;
      bench.table = topicTable(counter, ...names(counter));
      await broker.topicsChanged({ since, topics: [`T${counter}`] });
    };
    await change(4);
    restarted.answer = () => RemotingCommand.response(0);
    await change(5);
    await bench.passing(broker, 10_000);
    expect(sent(steady)).to.deep.equal([
      [3, 3],
      [4, 1],
      [5, 1],
      [5, 5],
    ]);
    expect(sent(restarted).slice(1)).to.deep.equal([
      [4, 1],
      [4, 4],
      [5, 5],
      [5, 5],
    ]);
  });

  it('that was changed twice before the first change was sent goes whole', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, ...names(3));
    const broker = bench.registrar([server]);
    await broker.start();
    let release = (): void => {};
    server.answer = () => new Promise((resolve) => (release = () => resolve(RemotingCommand.response(0))));
    const under = broker.topicsChanged();
    await server.nth(103, 2);
    const since = bench.table.dataVersion;
    bench.table = topicTable(4, ...names(4));
    const four = broker.topicsChanged({ since, topics: ['T4'] });
    const then = bench.table.dataVersion;
    bench.table = topicTable(5, ...names(5));
    const five = broker.topicsChanged({ since: then, topics: ['T5'] });
    server.answer = () => RemotingCommand.response(0);
    release();
    await Promise.all([under, four, five]);
    expect(sent(server).slice(2)).to.deep.equal([[5, 5]]);
  });
});
