import { MqVersion, RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicConfig, topicTable } from './broker-fixture.js';
import { RegistrarBench } from './registrar-bench.js';
import { registeredBody, registeredPerms, type ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, UNREGISTER_BROKER } = RequestCode;

describe('BrokerRegistrar', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  it('registers at once, after 10 s, and then every 30 s (R6)', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    expect((await broker.start())?.outcomes).to.have.lengthOf(1);
    const first = server.requests[0] as RemotingCommand;
    expect(first.extFields).to.include({ brokerName: 'broker-a', compressed: 'false' });
    expect(first.extFields).not.to.have.property('enableActingMaster');
    expect(first.version).to.equal(MqVersion.V4_9_7);
    bench.clock.advance(9_999);
    await bench.passing(broker, 1);
    expect(server.requests).to.have.lengthOf(2);
    for (const count of [3, 4]) {
      bench.clock.advance(29_999);
      await bench.passing(broker, 1);
      expect(server.requests).to.have.lengthOf(count);
    }
    expect(server.connections).to.equal(1);
    expect(new Set(server.requests.map(({ body }) => Buffer.from(body ?? []).toString())).size).to.equal(1);
  });

  for (const [given, period] of [
    [1_000, 10_000],
    [45_000, 45_000],
    [100_000, 60_000],
  ] as const) {
    it(`keeps the period between 10 and 60 s: ${given} ms is ${period} ms (R7)`, async () => {
      const [server] = await bench.scripted(1);
      const broker = bench.registrar([server], { registerNameServerPeriodMillis: given });
      await broker.start();
      await bench.passing(broker, 10_000);
      bench.clock.advance(period - 1);
      await bench.passing(broker, 1);
      expect(server.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER', 'REGISTER_BROKER']);
    });
  }

  it('sends what the broker’s permission leaves of each topic’s, and leaves the table alone (R14)', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, topicConfig('TBW102', 7), topicConfig('T1', 6), topicConfig('W', 2));
    const before = structuredClone(bench.table);
    for (const [profile, brokerPermission, perms] of [
      ['4.x', 4, { TBW102: 4, T1: 4, W: 4 }],
      ['5.x', 4, { TBW102: 4, T1: 4, W: 0 }],
      ['4.x', 2, { TBW102: 2, T1: 2, W: 2 }],
      ['5.x', 6, { TBW102: 7, T1: 6, W: 2 }],
    ] as const) {
      await bench.registrar([server], { profile, brokerPermission }).registerBrokerAll(true, false, true);
      expect(registeredPerms(server.withCode(REGISTER_BROKER).at(-1) as RemotingCommand)).to.deep.equal(perms);
    }
    expect(bench.table).to.deep.equal(before);
  });

  it('as a 5.x broker says whether it may act as master, and sends 5.x bodies (profile 5.x)', async () => {
    const [server] = await bench.scripted(1);
    await bench.registrar([server], { profile: '5.x' }).registerBrokerAll(true, false, true);
    const [request] = server.requests;
    expect(request?.extFields).to.include({ enableActingMaster: 'false', compressed: 'false' });
    expect(request?.extFields).not.to.have.property('heartbeatTimeoutMillis');
    expect(request?.version).to.equal(MqVersion.V5_3_3);
  });

  it('sends the whole table at once when topics changed, those that went left out (R15, R16)', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    await broker.start();
    bench.table = topicTable(4, 'T1', 'T2', 'T3');
    await broker.topicsChanged();
    bench.table = topicTable(5, 'T2', 'T3');
    await bench.passing(broker, 10_000);
    const sent = server.requests.map((request) => {
      const { dataVersion, topicConfigTable } = registeredBody(request).topicConfigSerializeWrapper;
      return [dataVersion.counter, [...(topicConfigTable?.keys() ?? [])]];
    });
    expect(sent).to.deep.equal([
      [3, ['T1', 'T2']],
      [4, ['T1', 'T2', 'T3']],
      [5, ['T2', 'T3']],
    ]);
  });

  it('takes the master’s addresses from the first answer, clears them by one without, and keeps them when none came (R23)', async () => {
    const [server] = await bench.scripted(1);
    const master = { masterAddr: '10.0.0.9:10911', haServerAddr: '10.0.0.9:10912' };
    server.answer = () => RemotingCommand.response(0, undefined, { extFields: { ...master } });
    const broker = bench.registrar([server], { identity: { ...identity, brokerId: 1 } });
    const changes: unknown[] = [];
    broker.on('masterChanged', (addresses, from) => changes.push([addresses, from]));
    await broker.start();
    await bench.passing(broker, 10_000);
    expect(changes).to.deep.equal([[master, server.address]]);
    server.answer = () => RemotingCommand.response(1, 'no');
    await bench.passing(broker, 30_000);
    await broker.registerBrokerAll(true, true, true);
    expect(broker.masterAddresses).to.deep.equal(master);
    server.answer = () => RemotingCommand.response(0);
    await bench.passing(broker, 30_000);
    const none = { masterAddr: undefined, haServerAddr: undefined };
    expect(changes).to.deep.equal([
      [master, server.address],
      [none, server.address],
    ]);
  });

  it('tells of ordered topics, so that the owner’s next table has them (R24)', async () => {
    const server = await bench.nameServer();
    const asking = new NameServerClient();
    bench.cleanUps.push(() => asking.close());
    await asking.putKvConfig(server.address, 'ORDER_TOPIC_CONFIG', 'T1', 'broker-a:4');
    const broker = bench.registrar([server]);
    broker.on('orderTopicConfig', (ordered) => {
      bench.table = topicTable(4, { ...topicConfig('T1'), order: ordered.has('T1') }, 'T2');
    });
    await broker.start();
    expect(bench.table.topicConfigTable?.get('T1')?.order).to.equal(true);
    await broker.topicsChanged();
    expect((await asking.queryDataVersion(server.address, identity, topicTable(4).dataVersion)).changed).to.equal(
      false,
    );
    bench.table = topicTable(3, 'T1', 'T2');
    await broker.registerBrokerAll(false, false, true);
    expect(bench.table.topicConfigTable?.get('T1')?.order).to.equal(false);
  });

  it('goes on when the topic source throws', async () => {
    const [server] = await bench.scripted(1);
    const errors: string[] = [];
    const note = (_: object, message: string): unknown => errors.push(message);
    let broken = true;
    const broker = bench.registrar([server], {
      logger: { debug: note, info: note, warn: note, error: note },
      topics: {
        current: () => {
          if (broken) throw new Error('no table');
          return bench.table;
        },
      },
    });
    expect(await broker.start()).to.equal(undefined);
    expect(errors).to.deep.equal(['registerBrokerAll Exception']);
    broken = false;
    expect((await bench.passing(broker, 10_000)).outcomes[0]?.status).to.equal('ok');
  });

  it('leaves all at once and within 3 s, whatever hangs (R25)', async () => {
    const servers = await bench.scripted(3);
    const client = bench.ownClient();
    const broker = bench.registrar(servers, { client });
    await broker.start();
    servers[0].freeze();
    const answered = new Promise<void>((resolve) => {
      let left = 2;
      client.remotingClient.registerRpcHook({ doAfterResponse: () => --left === 0 && resolve() });
    });
    const left = broker.shutdown();
    await answered;
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(servers.map((server) => server.nth(UNREGISTER_BROKER, 1)));
    bench.clock.advance(3_000);
    const { outcomes } = await left;
    expect(await broker.shutdown()).to.deep.equal(await left);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['timeout', 'ok', 'ok']);
    expect(await broker.registerBrokerAll(true, false, true)).to.equal(undefined);
    for (const server of servers) expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('gives up a round under way when it leaves', async () => {
    const servers = await bench.scripted(2);
    servers[0].freeze();
    const broker = bench.registrar(servers);
    const started = broker.start();
    await servers[0].nth(REGISTER_BROKER, 1);
    servers[0].answer = () => RemotingCommand.response(0);
    await broker.shutdown();
    expect(await started).to.equal(undefined);
    for (const server of servers) expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('tells nobody that it leaves when it never registered', async () => {
    const [server] = await bench.scripted(1);
    expect((await bench.registrar([server]).shutdown()).outcomes).to.deep.equal([]);
    expect(server.requests).to.have.lengthOf(0);
  });

  it('stops without leaving when told so', async () => {
    const [server] = await bench.scripted(1);
    const broker = bench.registrar([server]);
    await broker.start();
    expect((await broker.shutdown({ unregister: false })).outcomes).to.deep.equal([]);
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
  });

  it('says every number that cannot be', () => {
    const wrong = { registerNameServerPeriodMillis: Number.NaN, registerBrokerTimeoutMillis: 0 };
    expect(() => bench.registrar([], wrong)).to.throw(
      /^options of BrokerRegistrar: registerNameServerPeriodMillis must be .* not NaN; registerBrokerTimeoutMillis must be .* not 0$/,
    );
  });

  it('leaves the connection of a client that is not its own open when a name server goes', async () => {
    const [server, other] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const client = bench.ownClient();
    const broker = bench.registrar([server, other], { client });
    await broker.start();
    broker.updateNameServerAddressList([other.address]);
    while (!server.names.includes('UNREGISTER_BROKER')) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(client.remotingClient.channel(server.address)?.isActive).to.equal(true);
  });

  it('is started once', async () => {
    const broker = bench.registrar([]);
    await broker.start();
    try {
      await broker.start();
      expect.fail('started twice');
    } catch (error) {
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
    }
  });
});
