import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicTable } from './broker-fixture.js';
import { RegistrarBench } from './registrar-bench.js';
import { registeredBody } from './scripted-name-server.js';

describe('a broker with few topics', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
    it(`registers tables of no, one and many topics with a name server of ${profile} (R22)`, async () => {
      const server = await bench.nameServer({ profile });
      const asking = new NameServerClient();
      bench.cleanUps.push(() => asking.close());
      for (const topics of [[], ['T1'], ['T1', 'T2', 'T3']]) {
        bench.table = topicTable(3, ...topics);
        const broker = bench.registrar([server]);
        expect((await broker.start())?.outcomes[0]?.status).to.equal('ok');
        const known = await asking.getBrokerClusterInfo(server.address);
        expect([...known.brokerAddrTable.keys()]).to.deep.equal(['broker-a']);
        for (const topic of topics) expect(await asking.getRouteInfoByTopic(server.address, topic)).to.be.an('object');
        await broker.shutdown();
      }
    });
  }

  it('introduces itself with an empty table of the version before, once a connection, when it has one topic', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, 'T1');
    const broker = bench.registrar([server]);
    await broker.start();
    await bench.passing(broker, 10_000);
    const sent = server.requests.map((request) => {
      const { dataVersion, topicConfigTable } = registeredBody(request).topicConfigSerializeWrapper;
      return [dataVersion.counter, topicConfigTable?.size];
    });
    expect(sent).to.deep.equal([
      [2, 0],
      [3, 1],
      [3, 1],
    ]);
  });

  it('comes back in the next round, with its one topic, to a name server that was told elsewhere that it left', async () => {
    const server = await bench.nameServer({ profile: '5.3.3' });
    const asking = new NameServerClient();
    bench.cleanUps.push(() => asking.close());
    bench.table = topicTable(3, 'T1');
    const broker = bench.registrar([server]);
    await broker.start();
    await asking.unregisterBroker(server.address, identity);
    expect(await asking.getRouteInfoByTopic(server.address, 'T1')).to.equal(undefined);
    expect((await bench.passing(broker, 10_000)).outcomes[0]?.status).to.equal('ok');
    expect(await asking.getRouteInfoByTopic(server.address, 'T1')).to.be.an('object');
    expect(broker.registeredAddressList).to.deep.equal([server.address]);
  });

  it('introduces itself once a round to a name server that refuses its one topic, and counts as not registered', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, 'T1');
    const broker = bench.registrar([server]);
    await broker.start();
    const size = (request: RemotingCommand) =>
      registeredBody(request).topicConfigSerializeWrapper.topicConfigTable?.size;
    server.answer = (request) => RemotingCommand.response(size(request) === 0 ? 0 : 1, 'register broker failed');
    expect((await bench.passing(broker, 10_000)).outcomes[0]).to.deep.include({ status: 'failed' });
    expect(server.requests.map(size)).to.deep.equal([0, 1, 1, 0, 1]);
    expect(broker.registeredAddressList).to.deep.equal([]);
    await bench.passing(broker, 30_000);
    expect(server.requests.map(size).slice(5)).to.deep.equal([0, 1]);
  });

  it('names what is left of the timeout in whole milliseconds', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, 'T1');
    server.answer = () => {
      bench.clock.advance(0.4);
      server.freeze();
      return RemotingCommand.response(0);
    };
    const late = new Promise<string | undefined>((resolve) =>
      bench
        .registrar([server])
        .on('lateOutcome', ({ error }) => resolve(error?.message))
        .start(),
    );
    await server.nth(RequestCode.REGISTER_BROKER, 2);
    bench.clock.advance(6_000);
    expect(await late).to.match(/timeout, 6000\(ms\)$/);
  });
});
