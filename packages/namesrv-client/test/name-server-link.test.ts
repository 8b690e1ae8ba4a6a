import { RequestCode } from '@rmqns/protocol';
import { RemotingCommand } from '@rmqns/remoting';
import { expect } from 'chai';
import { topicTable } from './broker-fixture.js';
import { closed, nextReconnect, RegistrarBench } from './registrar-bench.js';
import { registeredBody, ScriptedNameServer } from './scripted-name-server.js';

const { REGISTER_BROKER, UNREGISTER_BROKER } = RequestCode;

describe('a connection to a name server', () => {
  let bench: RegistrarBench;
  beforeEach(() => {
    bench = new RegistrarBench();
  });
  afterEach(() => bench.close());

  it('registers anew as soon as a lost connection stands again, with the whole table (R26, R33, R37)', async () => {
    const server = await bench.nameServer();
    const client = bench.ownClient();
    const broker = bench.registrar([server], { client });
    await broker.start();
    const lost = closed(client);
    await server.close();
    await lost;
    await bench.passingUntil(100, nextReconnect(broker));
    expect(broker.registeredAddressList).to.deep.equal([]);
    bench.table = topicTable(4, 'T1', 'T2', 'T3');
    const restarted = await bench.nameServer({ listenPort: Number(server.address.split(':').at(-1)) });
    await bench.passingUntil(200, nextReconnect(broker));
    expect(bench.clock.monotonic()).to.equal(300);
    expect(broker.registeredAddressList).to.deep.equal([restarted.address]);
    for (const topic of ['T1', 'T2', 'T3']) {
      expect(await client.getRouteInfoByTopic(restarted.address, topic), topic).to.be.an('object');
    }
  });

  it('registers anew with a name server that only dropped the connection, and not with the others', async () => {
    const [dropping, other] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const client = bench.ownClient();
    const broker = bench.registrar([dropping, other], { client });
    await broker.start();
    const lost = closed(client);
    dropping.dropConnections();
    await lost;
    await bench.passingUntil(100, nextReconnect(broker));
    expect(dropping.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect(other.names).to.deep.equal(['REGISTER_BROKER']);
  });

  it('goes on trying when the topic source throws just then', async () => {
    const [server] = await bench.scripted(1);
    const client = bench.ownClient();
    let throws = false;
    const current = (): typeof bench.table => {
      if (throws) throw new TypeError('no table now');
      return bench.table;
    };
    const broker = bench.registrar([server], { client, topics: { current } });
    await broker.start();
    const lost = closed(client);
    throws = true;
    server.dropConnections();
    await lost;
    await bench.passingUntil(100, nextReconnect(broker));
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
    throws = false;
    await bench.passingUntil(200, nextReconnect(broker));
    expect(server.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
  });

  it('registers once a wait with a name server that says yes and hangs up, with growing waits, and tells of it once', async () => {
    const [server] = await bench.scripted(1);
    server.answer = () => {
      setImmediate(() => server.dropConnections());
      return RemotingCommand.response(0);
    };
    const client = bench.ownClient();
    const broker = bench.registrar([server], { client });
    const told: unknown[] = [];
    broker.on('flapping', (address, shortConnections) => told.push([address, shortConnections]));
    let lost = closed(client);
    await broker.start();
    for (const millis of [100, 200, 400, 800, 1_600, 3_200]) {
      await lost;
      lost = closed(client);
      await new Promise((resolve) => setImmediate(resolve));
      const before = server.requests.length;
      await bench.clock.advanceAsync(millis - 1);
      expect(server.requests).to.have.lengthOf(before);
      await bench.clock.advanceAsync(1);
      await server.nth(REGISTER_BROKER, before + 1);
    }
    expect(told).to.deep.equal([[server.address, 3]]);
    expect(broker.flappingAddressList).to.deep.equal([server.address]);
    server.answer = () => RemotingCommand.response(0);
    await lost;
    await bench.clock.advanceAsync(5_000, 100);
    while (broker.registeredAddressList.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await bench.clock.advanceAsync(10_000);
    expect(broker.flappingAddressList).to.deep.equal([]);
  });

  it('keeps the connection to a name server that answers after the timeout, and gets its one topic registered', async () => {
    const [server] = await bench.scripted(1);
    bench.table = topicTable(3, 'T1');
    const answers: (() => void)[] = [];
    server.answer = () => new Promise((resolve) => answers.push(() => resolve(RemotingCommand.response(0))));
    const broker = bench.registrar([server]);
    const started = broker.start();
    for (let n = 1; n <= 3; n++) {
      await server.nth(REGISTER_BROKER, n);
      await bench.clock.advanceAsync(7_000, 500);
      const { pendingTimers } = bench.clock;
      answers.shift()?.();
      // What is heard ends the wait for it.
      while (bench.clock.pendingTimers === pendingTimers) await new Promise((resolve) => setImmediate(resolve));
      await bench.clock.advanceAsync(n === 1 ? 3_000 : 23_000, 1_000);
    }
    expect((await started)?.outcomes[0]?.status).to.equal('timeout');
    expect(server.connections).to.equal(1);
    const sizes = server.requests.map(
      (request) => registeredBody(request).topicConfigSerializeWrapper.topicConfigTable?.size,
    );
    expect(sizes.slice(0, 3)).to.deep.equal([0, 1, 1]);
  });

  it('leaves a connection over which nothing is heard for a second timeout, and registers anew', async () => {
    const [server] = await bench.scripted(1);
    server.freeze();
    const broker = bench.registrar([server]);
    const started = broker.start();
    await server.nth(REGISTER_BROKER, 1);
    bench.clock.advance(6_000);
    await started;
    await bench.clock.advanceAsync(3_000);
    expect(server.connections).to.equal(1);
    await bench.clock.advanceAsync(2_999);
    server.answer = () => RemotingCommand.response(0);
    await bench.clock.advanceAsync(1);
    while (server.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    await bench.passingUntil(100, nextReconnect(broker));
    expect(server.connections).to.equal(1);
    expect(broker.registeredAddressList).to.deep.equal([server.address]);
  });

  it('tries a name server that is down again and again, with growing waits, and registers once it is up', async () => {
    const [up, down] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const port = Number(down.address.split(':').at(-1));
    await down.destroy();
    const broker = bench.registrar([up, down]);
    await broker.start();
    for (const millis of [100, 200, 400, 800, 1_600, 3_200]) {
      await bench.passingUntil(millis, nextReconnect(broker));
      expect((await broker.topicsChanged())?.outcomes.map(({ status }) => status)).to.deep.equal(['ok', 'failed']);
    }
    const late = await ScriptedNameServer.start(port);
    bench.cleanUps.push(() => late.destroy());
    await bench.clock.advanceAsync(5_000, 100);
    await late.nth(REGISTER_BROKER, 1);
    while (broker.registeredAddressList.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(broker.registeredAddressList).to.deep.equal([up.address, late.address]);
  });

  it('is back with a name server 1.5 s after it is up again, however long it was down', async () => {
    const [server] = await bench.scripted(1);
    const port = Number(server.address.split(':').at(-1));
    const broker = bench.registrar([server]);
    await broker.start();
    await server.destroy();
    let tries = 0;
    broker.on('reconnect', () => (tries += 1));
    while (tries < 60) await bench.clock.advanceAsync(100, 50);
    const back = await ScriptedNameServer.start(port);
    bench.cleanUps.push(() => back.destroy());
    const registered = back.nth(REGISTER_BROKER, 1);
    await bench.clock.advanceAsync(1_500, 100);
    await registered;
  });

  it('serves a list that changed: whole table to new ones, leave to removed ones, nothing for an empty list (R27, R28)', async () => {
    const [a, b, c] = (await bench.scripted(3)) as [ScriptedNameServer, ScriptedNameServer, ScriptedNameServer];
    const broker = bench.registrar([a, b]);
    await broker.start();
    const added = nextReconnect(broker);
    broker.updateNameServerAddressList([c.address, b.address]);
    expect(await added).to.equal(c.address);
    await a.nth(UNREGISTER_BROKER, 1);
    broker.updateNameServerAddressList([]);
    broker.updateNameServerAddressList([b.address, c.address]);
    expect(broker.nameServerAddressList).to.have.members([b.address, c.address]);
    while (a.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    await bench.passing(broker, 10_000);
    expect(a.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER']);
    expect(b.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect(c.names).to.deep.equal(['REGISTER_BROKER', 'REGISTER_BROKER']);
    expect([
      ...(registeredBody(c.requests[0] as RemotingCommand).topicConfigSerializeWrapper.topicConfigTable?.keys() ?? []),
    ]).to.deep.equal(['T1', 'T2']);
  });

  it('comes back to a name server that was removed and added again, after the leave', async () => {
    const [a, b] = (await bench.scripted(2)) as [ScriptedNameServer, ScriptedNameServer];
    const broker = bench.registrar([a, b]);
    await broker.start();
    broker.updateNameServerAddressList([b.address]);
    const back = nextReconnect(broker);
    broker.updateNameServerAddressList([a.address, b.address]);
    await back;
    expect(a.names).to.deep.equal(['REGISTER_BROKER', 'UNREGISTER_BROKER', 'REGISTER_BROKER']);
    expect(broker.registeredAddressList).to.have.members([a.address, b.address]);
  });

  it('does nothing without name servers, until there are some', async () => {
    const broker = bench.registrar([]);
    expect(await broker.start()).to.deep.include({ outcomes: [], completed: [] });
    const [server] = await bench.scripted(1);
    const added = nextReconnect(broker);
    broker.updateNameServerAddressList([server.address]);
    await added;
    expect(server.names).to.deep.equal(['REGISTER_BROKER']);
  });
});
