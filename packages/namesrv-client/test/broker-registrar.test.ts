import { createNameServer, type NameServer } from '@rmqns/namesrv';
import { MqVersion, RequestCode, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { BrokerRegistrar, type RegistrationRound } from '../src/broker-registrar.js';
import type { BrokerRegistrarOptions } from '../src/broker-registrar-options.js';
import { NameServerClient } from '../src/name-server-client.js';
import { identity, topicConfig, topicTable } from './broker-fixture.js';
import { registeredBody, registeredPerms, ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, UNREGISTER_BROKER, QUERY_DATA_VERSION } = RequestCode;

describe('BrokerRegistrar', () => {
  let clock: ManualClock;
  let table: TopicConfigSerializeWrapper;
  const cleanUps: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    clock = new ManualClock();
    table = topicTable(3, 'T1', 'T2');
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    expect(clock.pendingTimers).to.equal(0);
  });

  async function scripted(count: number): Promise<[ScriptedNameServer, ...ScriptedNameServer[]]> {
    const servers = await Promise.all(Array.from({ length: count }, () => ScriptedNameServer.start()));
    cleanUps.push(() => Promise.all(servers.map((server) => server.destroy())));
    return servers as [ScriptedNameServer, ...ScriptedNameServer[]];
  }

  async function nameServer(options: Parameters<typeof createNameServer>[0] = {}): Promise<NameServer> {
    const server = createNameServer({ bindAddress: '127.0.0.1', listenPort: 0, ...options });
    await server.start();
    cleanUps.push(() => server.close());
    return server;
  }

  function registrar(
    servers: readonly { readonly address: string }[],
    options: Partial<BrokerRegistrarOptions> = {},
  ): BrokerRegistrar {
    const made = new BrokerRegistrar({
      identity,
      nameServerAddressList: servers.map(({ address }) => address),
      topics: { current: () => table },
      clock,
      random: () => 0,
      ...options,
    });
    cleanUps.push(async () => {
      const left = made.shutdown();
      // What hangs is let go by the clock.
      const timer = setInterval(() => clock.advance(3_000), 5);
      await left;
      clearInterval(timer);
    });
    return made;
  }

  function ownClient(): NameServerClient {
    const client = new NameServerClient({ clock });
    cleanUps.push(() => client.remotingClient.destroy());
    return client;
  }
  const closed = (client: NameServerClient) =>
    new Promise<void>((resolve) => client.remotingClient.once('close', () => resolve()));
  const nextRound = (of: BrokerRegistrar): Promise<RegistrationRound> =>
    new Promise((resolve) => of.once('round', resolve));
  const nextReconnect = (of: BrokerRegistrar) =>
    new Promise((resolve: (address: string) => void) => of.once('reconnect', ({ address }) => resolve(address)));
  async function passingUntil(millis: number, event: Promise<unknown>): Promise<void> {
    // What an event of the socket started comes first.
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(millis);
    await event;
  }
  async function passing(of: BrokerRegistrar, millis: number): Promise<RegistrationRound> {
    const round = nextRound(of);
    clock.advance(millis);
    return await round;
  }

  it('registers at once, after 10 s, and then every 30 s (R6)', async () => {
    const [server] = await scripted(1);
    const broker = registrar([server]);
    expect((await broker.start())?.outcomes).to.have.lengthOf(1);
    const first = server.requests[0] as RemotingCommand;
    expect(first.extFields).to.include({ brokerName: 'broker-a', compressed: 'false' });
    expect(first.extFields).not.to.have.property('enableActingMaster');
    expect(first.version).to.equal(MqVersion.V4_9_7);
    clock.advance(9_999);
    await passing(broker, 1);
    expect(server.requests).to.have.lengthOf(2);
    for (const count of [3, 4]) {
      clock.advance(29_999);
      await passing(broker, 1);
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
      const [server] = await scripted(1);
      const broker = registrar([server], { registerNameServerPeriodMillis: given });
      await broker.start();
      await passing(broker, 10_000);
      clock.advance(period - 1);
      await passing(broker, 1);
      expect(server.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER', 'REGISTER_BROKER']);
    });
  }

  const versionAnswer = (changed: boolean, counter = 3) =>
    RemotingCommand.response(0, undefined, {
      extFields: { changed: String(changed) },
      body: Buffer.from(`{"counter":${counter},"timestamp":1600000000000}`),
    });

  it('asks first when forceRegister is false, and registers with all when one has another version (R8, R9)', async () => {
    const servers = await scripted(3);
    let changed = false;
    servers.forEach((server, i) => {
      server.answer = ({ code }) =>
        code === QUERY_DATA_VERSION ? versionAnswer(changed && i === 1) : RemotingCommand.response(0);
    });
    const broker = registrar(servers, { forceRegister: false });
    await broker.start();
    expect(await passing(broker, 10_000)).to.deep.include({ needed: false, outcomes: [] });
    expect((await passing(broker, 30_000)).needed).to.equal(false);
    const quiet = ['REGISTER_BROKER', 'QUERY_DATA_VERSION', 'QUERY_DATA_VERSION'];
    for (const server of servers) expect(server.names).to.deep.equal(quiet);
    changed = true;
    expect((await passing(broker, 30_000)).needed).to.equal(true);
    const asked = [...quiet, 'QUERY_DATA_VERSION', 'REGISTER_BROKER'];
    for (const server of servers) expect(server.names).to.deep.equal(asked);
  });

  it('serves the others while one hangs, and goes on after the timeout (R13)', async () => {
    const servers = await scripted(3);
    servers[1]?.freeze();
    const broker = registrar(servers);
    const started = broker.start();
    await Promise.all(servers.map((server) => server.nth(REGISTER_BROKER, 1)));
    while (broker.registeredAddressList.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.monotonic()).to.equal(0);
    clock.advance(6_000);
    const round = await started;
    expect(round?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'timeout', 'ok']);
    expect(round?.durationMillis).to.equal(6_000);
  });

  it('keeps no name server waiting for another: changes and periods go on time while one hangs for longer than a period', async () => {
    const [sick, well] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    sick.freeze();
    const broker = registrar([sick, well], {
      registerNameServerPeriodMillis: 10_000,
      registerBrokerTimeoutMillis: 24_000,
    });
    const arrived: number[] = [];
    well.answer = () => {
      arrived.push(clock.monotonic());
      return RemotingCommand.response(0);
    };
    const started = broker.start();
    await well.nth(REGISTER_BROKER, 1);
    await clock.advanceAsync(1_000, 100);
    for (let counter = 4; counter < 9; counter++) {
      table = topicTable(counter, 'T1', 'T2');
      void broker.topicsChanged();
      const sent = await well.nth(REGISTER_BROKER, counter - 2);
      expect(registeredBody(sent).topicConfigSerializeWrapper.dataVersion.counter).to.equal(counter);
      await clock.advanceAsync(100, 10);
    }
    await clock.advanceAsync(22_000, 100);
    expect(arrived).to.deep.equal([0, 1_000, 1_100, 1_200, 1_300, 1_400, 10_000, 20_000]);
    expect(sick.requests).to.have.lengthOf(1);
    sick.answer = () => RemotingCommand.response(0);
    await clock.advanceAsync(500, 100);
    expect((await started)?.outcomes.map(({ status }) => status)).to.deep.equal(['timeout', 'ok']);
    await sick.nth(REGISTER_BROKER, 2);
    const versions = sick.requests.map((request) => registeredBody(request).topicConfigSerializeWrapper.dataVersion);
    expect(versions.map(({ counter }) => counter)).to.deep.equal([3, 8]);
  });

  it('tells of each outcome as it comes, before the round is over', async () => {
    const [sick, well] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    sick.freeze();
    const broker = registrar([sick, well]);
    const told: unknown[] = [];
    const note = (event: string) => told.push([event, clock.monotonic()]);
    broker.on('round', () => note('round'));
    const first = new Promise<void>((resolve) =>
      broker.on('outcome', ({ address, status }, late) => {
        note(`${address === sick.address ? 'sick' : 'well'} ${status} ${late}`);
        resolve();
      }),
    );
    const started = broker.start();
    await first;
    clock.advance(6_000);
    await started;
    expect(told.slice(0, 2)).to.deep.equal([
      ['well ok false', 0],
      ['round', 6_000],
    ]);
  });

  it('registers at once with all when the first says that it needs it, though another hangs', async () => {
    const [sick, well] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = registrar([sick, well], { forceRegister: false });
    await broker.start();
    sick.freeze();
    well.answer = ({ code }) => (code === QUERY_DATA_VERSION ? versionAnswer(true) : RemotingCommand.response(0));
    clock.advance(10_000);
    await well.nth(REGISTER_BROKER, 2);
    expect(sick.names).to.deep.equal(['REGISTER_BROKER', 'QUERY_DATA_VERSION']);
    const round = nextRound(broker);
    clock.advance(6_000);
    expect((await round).queryOutcomes?.map(({ address }) => address)).to.deep.equal([well.address]);
  });

  it('tells what name servers answered that were only asked', async () => {
    const [refusing, well] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = registrar([refusing, well], { forceRegister: false });
    expect(await broker.start()).to.include({ needed: true, queryOutcomes: undefined });
    refusing.answer = () => RemotingCommand.response(1, 'broken here');
    well.answer = () => versionAnswer(false);
    const { needed, queryOutcomes } = await passing(broker, 10_000);
    expect(needed).to.equal(false);
    expect(queryOutcomes?.map(({ address, status }) => [address, status])).to.deep.equal([
      [refusing.address, 'failed'],
      [well.address, 'ok'],
    ]);
    expect(queryOutcomes?.[0]?.error).to.include({ responseCode: 1, remark: 'broken here' });
  });

  it('sends what the broker’s permission leaves of each topic’s, and leaves the table alone (R14)', async () => {
    const [server] = await scripted(1);
    table = topicTable(3, topicConfig('TBW102', 7), topicConfig('T1', 6), topicConfig('W', 2));
    const before = structuredClone(table);
    for (const [profile, brokerPermission, perms] of [
      ['4.x', 4, { TBW102: 4, T1: 4, W: 4 }],
      ['5.x', 4, { TBW102: 4, T1: 4, W: 0 }],
      ['4.x', 2, { TBW102: 2, T1: 2, W: 2 }],
      ['5.x', 6, { TBW102: 7, T1: 6, W: 2 }],
    ] as const) {
      await registrar([server], { profile, brokerPermission }).registerBrokerAll(true, false, true);
      expect(registeredPerms(server.withCode(REGISTER_BROKER).at(-1) as RemotingCommand)).to.deep.equal(perms);
    }
    expect(table).to.deep.equal(before);
  });

  it('as a 5.x broker says whether it may act as master, and sends 5.x bodies (profile 5.x)', async () => {
    const [server] = await scripted(1);
    await registrar([server], { profile: '5.x', compressedRegister: true }).registerBrokerAll(true, false, true);
    const [request] = server.requests;
    expect(request?.extFields).to.include({ enableActingMaster: 'false', compressed: 'true' });
    expect(request?.version).to.equal(MqVersion.V5_3_3);
  });

  it('sends the whole table at once when topics changed, those that went left out (R15, R16)', async () => {
    const [server] = await scripted(1);
    const broker = registrar([server]);
    await broker.start();
    table = topicTable(4, 'T1', 'T2', 'T3');
    await broker.topicsChanged();
    table = topicTable(5, 'T2', 'T3');
    await passing(broker, 10_000);
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

  for (const profile of ['4.7.1', '4.9.7', '5.3.3'] as const) {
    it(`registers tables of no, one and many topics with a name server of ${profile} (R22)`, async () => {
      const server = await nameServer({ profile });
      const asking = new NameServerClient();
      cleanUps.push(() => asking.close());
      for (const topics of [[], ['T1'], ['T1', 'T2', 'T3']]) {
        table = topicTable(3, ...topics);
        const broker = registrar([server]);
        expect((await broker.start())?.outcomes[0]?.status).to.equal('ok');
        const known = await asking.getBrokerClusterInfo(server.address);
        expect([...known.brokerAddrTable.keys()]).to.deep.equal(['broker-a']);
        for (const topic of topics) expect(await asking.getRouteInfoByTopic(server.address, topic)).to.be.an('object');
        await broker.shutdown();
      }
    });
  }

  it('introduces itself with an empty table of the version before, once a connection, when it has one topic', async () => {
    const [server] = await scripted(1);
    table = topicTable(3, 'T1');
    const broker = registrar([server]);
    await broker.start();
    await passing(broker, 10_000);
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
    const server = await nameServer({ profile: '5.3.3' });
    const asking = new NameServerClient();
    cleanUps.push(() => asking.close());
    table = topicTable(3, 'T1');
    const broker = registrar([server]);
    await broker.start();
    await asking.unregisterBroker(server.address, identity);
    expect(await asking.getRouteInfoByTopic(server.address, 'T1')).to.equal(undefined);
    expect((await passing(broker, 10_000)).outcomes[0]?.status).to.equal('ok');
    expect(await asking.getRouteInfoByTopic(server.address, 'T1')).to.be.an('object');
    expect(broker.registeredAddressList).to.deep.equal([server.address]);
  });

  it('introduces itself once a round to a name server that refuses its one topic, and counts as not registered', async () => {
    const [server] = await scripted(1);
    table = topicTable(3, 'T1');
    const broker = registrar([server]);
    await broker.start();
    const size = (request: RemotingCommand) =>
      registeredBody(request).topicConfigSerializeWrapper.topicConfigTable?.size;
    server.answer = (request) => RemotingCommand.response(size(request) === 0 ? 0 : 1, 'register broker failed');
    expect((await passing(broker, 10_000)).outcomes[0]).to.deep.include({ status: 'failed' });
    expect(server.requests.map(size)).to.deep.equal([0, 1, 1, 0, 1]);
    expect(broker.registeredAddressList).to.deep.equal([]);
    await passing(broker, 30_000);
    expect(server.requests.map(size).slice(5)).to.deep.equal([0, 1]);
  });

  it('takes the master’s addresses from the first answer, clears them by one without, and keeps them when none came (R23)', async () => {
    const [server] = await scripted(1);
    const master = { masterAddr: '10.0.0.9:10911', haServerAddr: '10.0.0.9:10912' };
    server.answer = () => RemotingCommand.response(0, undefined, { extFields: { ...master } });
    const broker = registrar([server], { identity: { ...identity, brokerId: 1 } });
    const changes: unknown[] = [];
    broker.on('masterChanged', (addresses, from) => changes.push([addresses, from]));
    await broker.start();
    await passing(broker, 10_000);
    expect(changes).to.deep.equal([[master, server.address]]);
    server.answer = () => RemotingCommand.response(1, 'no');
    await passing(broker, 30_000);
    await broker.registerBrokerAll(true, true, true);
    expect(broker.masterAddresses).to.deep.equal(master);
    server.answer = () => RemotingCommand.response(0);
    await passing(broker, 30_000);
    const none = { masterAddr: undefined, haServerAddr: undefined };
    expect(changes).to.deep.equal([
      [master, server.address],
      [none, server.address],
    ]);
  });

  it('tells of ordered topics, so that the owner’s next table has them (R24)', async () => {
    const server = await nameServer();
    const asking = new NameServerClient();
    cleanUps.push(() => asking.close());
    await asking.putKvConfig(server.address, 'ORDER_TOPIC_CONFIG', 'T1', 'broker-a:4');
    const broker = registrar([server]);
    broker.on('orderTopicConfig', (ordered) => {
      table = topicTable(4, { ...topicConfig('T1'), order: ordered.has('T1') }, 'T2');
    });
    await broker.start();
    expect(table.topicConfigTable?.get('T1')?.order).to.equal(true);
    await broker.topicsChanged();
    expect((await asking.queryDataVersion(server.address, identity, topicTable(4).dataVersion)).changed).to.equal(
      false,
    );
    table = topicTable(3, 'T1', 'T2');
    await broker.registerBrokerAll(false, false, true);
    expect(table.topicConfigTable?.get('T1')?.order).to.equal(false);
  });

  it('registers anew as soon as a lost connection stands again, with the whole table (R26, R33, R37)', async () => {
    const server = await nameServer();
    const client = ownClient();
    const broker = registrar([server], { client });
    await broker.start();
    const lost = closed(client);
    await server.close();
    await lost;
    await passingUntil(100, nextReconnect(broker));
    expect(broker.registeredAddressList).to.deep.equal([]);
    table = topicTable(4, 'T1', 'T2', 'T3');
    const restarted = await nameServer({ listenPort: Number(server.address.split(':').at(-1)) });
    await passingUntil(200, nextReconnect(broker));
    expect(clock.monotonic()).to.equal(300);
    expect(broker.registeredAddressList).to.deep.equal([restarted.address]);
    for (const topic of ['T1', 'T2', 'T3']) {
      expect(await client.getRouteInfoByTopic(restarted.address, topic), topic).to.be.an('object');
    }
  });

  it('registers anew with a name server that only dropped the connection, and not with the others', async () => {
    const [dropping, other] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const client = ownClient();
    const broker = registrar([dropping, other], { client });
    await broker.start();
    const lost = closed(client);
    dropping.dropConnections();
    await lost;
    await passingUntil(100, nextReconnect(broker));
    expect(dropping.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect(other.names).to.deep.equal(['REGISTER_BROKER']);
  });

  it('registers once a wait with a name server that says yes and hangs up, with growing waits, and tells of it once', async () => {
    const [server] = await scripted(1);
    server.answer = () => {
      setImmediate(() => server.dropConnections());
      return RemotingCommand.response(0);
    };
    const client = ownClient();
    const broker = registrar([server], { client });
    const told: unknown[] = [];
    broker.on('flapping', (address, shortConnections) => told.push([address, shortConnections]));
    let lost = closed(client);
    await broker.start();
    for (const millis of [100, 200, 400, 800, 1_600, 3_200]) {
      await lost;
      lost = closed(client);
      await new Promise((resolve) => setImmediate(resolve));
      const before = server.requests.length;
      await clock.advanceAsync(millis - 1);
      expect(server.requests).to.have.lengthOf(before);
      await clock.advanceAsync(1);
      await server.nth(REGISTER_BROKER, before + 1);
    }
    expect(told).to.deep.equal([[server.address, 3]]);
    expect(broker.flappingAddressList).to.deep.equal([server.address]);
    server.answer = () => RemotingCommand.response(0);
    await lost;
    await clock.advanceAsync(5_000, 100);
    while (broker.registeredAddressList.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await clock.advanceAsync(10_000);
    expect(broker.flappingAddressList).to.deep.equal([]);
  });

  it('keeps the connection to a name server that answers after the timeout, and gets its one topic registered', async () => {
    const [server] = await scripted(1);
    table = topicTable(3, 'T1');
    const answers: (() => void)[] = [];
    server.answer = () => new Promise((resolve) => answers.push(() => resolve(RemotingCommand.response(0))));
    const broker = registrar([server]);
    const started = broker.start();
    for (let n = 1; n <= 3; n++) {
      await server.nth(REGISTER_BROKER, n);
      await clock.advanceAsync(7_000, 500);
      const { pendingTimers } = clock;
      answers.shift()?.();
      // What is heard ends the wait for it.
      while (clock.pendingTimers === pendingTimers) await new Promise((resolve) => setImmediate(resolve));
      await clock.advanceAsync(n === 1 ? 3_000 : 23_000, 1_000);
    }
    expect((await started)?.outcomes[0]?.status).to.equal('timeout');
    expect(server.connections).to.equal(1);
    const sizes = server.requests.map(
      (request) => registeredBody(request).topicConfigSerializeWrapper.topicConfigTable?.size,
    );
    expect(sizes.slice(0, 3)).to.deep.equal([0, 1, 1]);
  });

  it('leaves a connection over which nothing is heard for a second timeout, and registers anew', async () => {
    const [server] = await scripted(1);
    server.freeze();
    const broker = registrar([server]);
    const started = broker.start();
    await server.nth(REGISTER_BROKER, 1);
    clock.advance(6_000);
    await started;
    await clock.advanceAsync(3_000);
    expect(server.connections).to.equal(1);
    await clock.advanceAsync(2_999);
    server.answer = () => RemotingCommand.response(0);
    await clock.advanceAsync(1);
    while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    await passingUntil(100, nextReconnect(broker));
    expect(server.connections).to.equal(1);
    expect(broker.registeredAddressList).to.deep.equal([server.address]);
  });

  it('tries a name server that is down again and again, with growing waits, and registers once it is up', async () => {
    const [up, down] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const port = Number(down.address.split(':').at(-1));
    await down.destroy();
    const broker = registrar([up, down]);
    await broker.start();
    for (const millis of [100, 200, 400, 800, 1_600, 3_200]) {
      await passingUntil(millis, nextReconnect(broker));
      expect((await broker.topicsChanged())?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'failed']);
    }
    const late = await ScriptedNameServer.start(port);
    cleanUps.push(() => late.destroy());
    await clock.advanceAsync(5_000, 100);
    await late.nth(REGISTER_BROKER, 1);
    while (broker.registeredAddressList.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(broker.registeredAddressList).to.deep.equal([up.address, late.address]);
  });

  it('serves a list that changed: whole table to new ones, leave to removed ones, nothing for an empty list (R27, R28)', async () => {
    const [a, b, c] = (await scripted(3)) as [ScriptedNameServer, ScriptedNameServer, ScriptedNameServer];
    const broker = registrar([a, b]);
    await broker.start();
    const added = nextReconnect(broker);
    broker.updateNameServerAddressList([c.address, b.address]);
    expect(await added).to.equal(c.address);
    await a.nth(UNREGISTER_BROKER, 1);
    broker.updateNameServerAddressList([]);
    broker.updateNameServerAddressList([b.address, c.address]);
    expect(broker.nameServerAddressList).to.have.members([b.address, c.address]);
    while (a.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    await passing(broker, 10_000);
    expect(a.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
    expect(b.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect(c.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect([
      ...(registeredBody(c.requests[0] as RemotingCommand).topicConfigSerializeWrapper.topicConfigTable?.keys() ?? []),
    ]).to.deep.equal(['T1', 'T2']);
  });

  it('comes back to a name server that was removed and added again, after the leave', async () => {
    const [a, b] = (await scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = registrar([a, b]);
    await broker.start();
    broker.updateNameServerAddressList([b.address]);
    const back = nextReconnect(broker);
    broker.updateNameServerAddressList([a.address, b.address]);
    await back;
    expect(a.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER', 'REGISTER_BROKER']);
    expect(broker.registeredAddressList).to.have.members([a.address, b.address]);
  });

  it('never registers twice at once with a name server, and once for all who ask meanwhile (R36)', async () => {
    const [server] = await scripted(1);
    let running = 0;
    let most = 0;
    server.answer = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return RemotingCommand.response(0);
    };
    const broker = registrar([server]);
    const rounds = [broker.start()];
    await server.nth(REGISTER_BROKER, 1);
    for (let i = 0; i < 20; i++) rounds.push(broker.topicsChanged(), broker.registerBrokerAll(false, false, true));
    await Promise.all(rounds);
    expect(most).to.equal(1);
    expect(server.requests).to.have.lengthOf(2);
  });

  it('goes on when the topic source throws', async () => {
    const [server] = await scripted(1);
    const errors: string[] = [];
    const note = (_: object, message: string): unknown => errors.push(message);
    let broken = true;
    const broker = registrar([server], {
      logger: { debug: note, info: note, warn: note, error: note },
      topics: {
        current: () => {
          if (broken) throw new Error('no table');
          return table;
        },
      },
    });
    expect(await broker.start()).to.equal(undefined);
    expect(errors).to.deep.equal(['registerBrokerAll Exception']);
    broken = false;
    expect((await passing(broker, 10_000)).outcomes[0]?.status).to.equal('ok');
  });

  it('does nothing without name servers, until there are some', async () => {
    const broker = registrar([]);
    expect(await broker.start()).to.deep.include({ outcomes: [], completed: [] });
    const [server] = await scripted(1);
    const added = nextReconnect(broker);
    broker.updateNameServerAddressList([server.address]);
    await added;
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
  });

  it('leaves all at once and within 3 s, whatever hangs (R25)', async () => {
    const servers = await scripted(3);
    const client = ownClient();
    const broker = registrar(servers, { client });
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
    clock.advance(3_000);
    const { outcomes } = await left;
    expect(await broker.shutdown()).to.deep.equal(await left);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['timeout', 'ok', 'ok']);
    expect(await broker.registerBrokerAll(true, false, true)).to.equal(undefined);
    for (const server of servers) expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('gives up a round under way when it leaves', async () => {
    const servers = await scripted(2);
    servers[0].freeze();
    const broker = registrar(servers);
    const started = broker.start();
    await servers[0].nth(REGISTER_BROKER, 1);
    servers[0].answer = () => RemotingCommand.response(0);
    await broker.shutdown();
    expect(await started).to.equal(undefined);
    for (const server of servers) expect(server.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
  });

  it('tells nobody that it leaves when it never registered', async () => {
    const [server] = await scripted(1);
    expect((await registrar([server]).shutdown()).outcomes).to.deep.equal([]);
    expect(server.requests).to.have.lengthOf(0);
  });

  it('stops without leaving when told so', async () => {
    const [server] = await scripted(1);
    const broker = registrar([server]);
    await broker.start();
    expect((await broker.shutdown({ unregister: false })).outcomes).to.deep.equal([]);
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
  });

  it('is started once', async () => {
    const broker = registrar([]);
    await broker.start();
    try {
      await broker.start();
      expect.fail('started twice');
    } catch (error) {
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
    }
  });
});
