import { networkInterfaces } from 'node:os';
import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { topicTable } from './broker-fixture.js';
import { nextRound, RegistrarBench } from './registrar-bench.js';
import { registeredBody, type ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, QUERY_DATA_VERSION } = RequestCode;

describe('a round with several name servers', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  const versionAnswer = (changed: boolean, counter = 3) =>
    RemotingCommand.response(0, undefined, {
      extFields: { changed: String(changed) },
      body: Buffer.from(`{"counter":${counter},"timestamp":1600000000000}`),
    });

  it('asks first when forceRegister is false, and registers with all when one has another version (R8, R9)', async () => {
    const servers = await bench.scripted(3);
    let changed = false;
    servers.forEach((server, i) => {
      server.answer = ({ code }) =>
        code === QUERY_DATA_VERSION ? versionAnswer(changed && i === 1) : RemotingCommand.response(0);
    });
    const broker = bench.registrar(servers, { forceRegister: false });
    await broker.start();
    expect(await bench.passing(broker, 10_000)).to.deep.include({ needed: false, outcomes: [] });
    expect((await bench.passing(broker, 30_000)).needed).to.equal(false);
    const quiet = ['REGISTER_BROKER', 'QUERY_DATA_VERSION', 'QUERY_DATA_VERSION'];
    for (const server of servers) expect(server.names).to.deep.equal(quiet);
    changed = true;
    expect((await bench.passing(broker, 30_000)).needed).to.equal(true);
    const asked = [...quiet, 'QUERY_DATA_VERSION', 'REGISTER_BROKER'];
    for (const server of servers) expect(server.names).to.deep.equal(asked);
  });

  it('reaches every address of a name, IPv6 as well, each over a connection of its own', async function () {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    if (!own.some(({ address }) => address === '::1')) this.skip();
    const servers = [await bench.nameServer(), await bench.nameServer({ bindAddress: '::1' })];
    expect(servers[1]?.address).to.match(/^\[::1\]:\d+$/);
    const broker = bench.registrar(servers, { conflictPolicy: 'standBack' });
    expect((await broker.start())?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'ok']);
    broker.updateNameServerAddressList([servers[1]?.address ?? '']);
    expect((await bench.passing(broker, 10_000)).outcomes.map(({ status }) => status)).to.deep.equal(['ok']);
  });

  it('serves the others while one hangs, and goes on after the timeout (R13)', async () => {
    const servers = await bench.scripted(3);
    servers[1]?.freeze();
    const broker = bench.registrar(servers);
    const started = broker.start();
    await Promise.all(servers.map((server) => server.nth(REGISTER_BROKER, 1)));
    while (broker.registeredAddressList.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(bench.clock.monotonic()).to.equal(0);
    bench.clock.advance(6_000);
    const round = await started;
    expect(round?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'timeout', 'ok']);
    expect(round?.durationMillis).to.equal(6_000);
  });

  it('keeps no name server waiting for another: changes and periods go on time while one hangs for longer than a period', async () => {
    const [sick, well] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    sick.freeze();
    const broker = bench.registrar([sick, well], {
      registerNameServerPeriodMillis: 10_000,
      registerBrokerTimeoutMillis: 24_000,
    });
    const arrived: number[] = [];
    well.answer = () => {
      arrived.push(bench.clock.monotonic());
      return RemotingCommand.response(0);
    };
    const started = broker.start();
    await well.nth(REGISTER_BROKER, 1);
    await bench.clock.advanceAsync(1_000, 100);
    for (let counter = 4; counter < 9; counter++) {
      bench.table = topicTable(counter, 'T1', 'T2');
      void broker.topicsChanged();
      const sent = await well.nth(REGISTER_BROKER, counter - 2);
      expect(registeredBody(sent).topicConfigSerializeWrapper.dataVersion.counter).to.equal(counter);
      await bench.clock.advanceAsync(100, 10);
    }
    await bench.clock.advanceAsync(22_000, 100);
    expect(arrived).to.deep.equal([0, 1_000, 1_100, 1_200, 1_300, 1_400, 10_000, 20_000]);
    expect(sick.requests).to.have.lengthOf(1);
    sick.answer = () => RemotingCommand.response(0);
    await bench.clock.advanceAsync(500, 100);
    expect((await started)?.outcomes.map(({ status }) => status)).to.deep.equal(['timeout', 'ok']);
    await sick.nth(REGISTER_BROKER, 2);
    const versions = sick.requests.map((request) => registeredBody(request).topicConfigSerializeWrapper.dataVersion);
    expect(versions.map(({ counter }) => counter)).to.deep.equal([3, 8]);
  });

  it('tells of each outcome as it comes, before the round is over', async () => {
    const [sick, well] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    sick.freeze();
    const broker = bench.registrar([sick, well]);
    const told: unknown[] = [];
    const note = (event: string) => told.push([event, bench.clock.monotonic()]);
    broker.on('round', () => note('round'));
    const first = new Promise<void>((resolve) =>
      broker.on('outcome', ({ address, status }, late) => {
        note(`${address === sick.address ? 'sick' : 'well'} ${status} ${late}`);
        resolve();
      }),
    );
    const started = broker.start();
    await first;
    bench.clock.advance(6_000);
    await started;
    expect(told.slice(0, 2)).to.deep.equal([
      ['well ok false', 0],
      ['round', 6_000],
    ]);
  });

  it('registers at once with all when the first says that it needs it, though another hangs', async () => {
    const [sick, well] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = bench.registrar([sick, well], { forceRegister: false });
    await broker.start();
    sick.freeze();
    well.answer = ({ code }) => (code === QUERY_DATA_VERSION ? versionAnswer(true) : RemotingCommand.response(0));
    bench.clock.advance(10_000);
    await well.nth(REGISTER_BROKER, 2);
    expect(sick.names).to.deep.equal(['REGISTER_BROKER', 'QUERY_DATA_VERSION']);
    const round = nextRound(broker);
    bench.clock.advance(6_000);
    expect((await round).queryOutcomes?.map(({ address }) => address)).to.deep.equal([well.address]);
  });

  it('tells what name servers answered that were only asked', async () => {
    const [refusing, well] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = bench.registrar([refusing, well], { forceRegister: false });
    expect(await broker.start()).to.include({ needed: true, queryOutcomes: undefined });
    refusing.answer = () => RemotingCommand.response(1, 'broken here');
    well.answer = () => versionAnswer(false);
    const { needed, queryOutcomes } = await bench.passing(broker, 10_000);
    expect(needed).to.equal(false);
    expect(queryOutcomes?.map(({ address, status }) => [address, status])).to.deep.equal([
      [refusing.address, 'failed'],
      [well.address, 'ok'],
    ]);
    expect(queryOutcomes?.[0]?.error).to.include({ responseCode: 1, remark: 'broken here' });
  });

  it('never registers twice at once with a name server, and once for all who ask meanwhile (R36)', async () => {
    const [server] = await bench.scripted(1);
    let running = 0;
    let most = 0;
    server.answer = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return RemotingCommand.response(0);
    };
    const broker = bench.registrar([server]);
    const rounds = [broker.start()];
    await server.nth(REGISTER_BROKER, 1);
    for (let i = 0; i < 20; i++) rounds.push(broker.topicsChanged(), broker.registerBrokerAll(false, false, true));
    await Promise.all(rounds);
    expect(most).to.equal(1);
    expect(server.requests).to.have.lengthOf(2);
  });
});
