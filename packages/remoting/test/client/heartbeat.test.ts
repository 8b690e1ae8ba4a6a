import { connect } from 'node:net';
import { expect } from 'chai';
import { Heartbeat } from '../../src/client/heartbeat.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { EmbeddedChannel, ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

describe('Heartbeat', () => {
  function setUp(misses = 3): { channel: EmbeddedChannel; clock: ManualClock; probes: number[] } {
    const clock = new ManualClock();
    const probes: number[] = [];
    const heartbeat = new Heartbeat({
      periodMillis: 1_000,
      misses,
      clock,
      probe: () => probes.push(clock.monotonic()),
    });
    return { channel: new EmbeddedChannel([['heartbeat', heartbeat]]), clock, probes };
  }

  it('asks a silent peer once, and ends the connection after as many periods as there may be misses (W28)', async () => {
    const { channel, clock, probes } = setUp();
    clock.advance(2_999);
    expect([channel.isActive, probes]).to.deep.equal([true, [1_000]]);
    clock.advance(1);
    expect([channel.isActive, (await channel.closed)?.message, clock.pendingTimers]).to.deep.equal([
      false,
      'nothing came from embedded:1 for 3 times 1000 ms, though it was asked for a sign of life',
      0,
    ]);
  });

  it('takes a late answer, and any other byte, for a sign of life (W28)', () => {
    const { channel, clock, probes } = setUp();
    clock.advance(2_900);
    channel.writeInbound('late');
    clock.advance(2_900);
    expect(probes).to.deep.equal([1_000, 3_900]);
    for (let i = 0; i < 100; i++) {
      channel.writeInbound('byte');
      clock.advance(900);
    }
    expect([channel.isActive, probes.length]).to.deep.equal([true, 2]);
  });

  it('does not blame the peer when this process stood still', () => {
    let standing = 0;
    const manual = new ManualClock();
    const probes: number[] = [];
    const clock = Object.assign(Object.create(manual), {
      monotonic: () => manual.monotonic() + standing,
      now: () => manual.now() + standing,
      setTimeout: manual.setTimeout.bind(manual),
    }) as ManualClock;
    const heartbeat = new Heartbeat({ periodMillis: 1_000, misses: 2, clock, probe: () => probes.push(0) });
    const channel = new EmbeddedChannel([['heartbeat', heartbeat]]);
    standing = 5_000;
    manual.advance(1_000);
    expect([channel.isActive, probes.length]).to.deep.equal([true, 0]);
    // The sockets have their turn before the grace is over.
    channel.writeInbound('what arrived meanwhile');
    manual.advance(100);
    expect([channel.isActive, probes.length]).to.deep.equal([true, 0]);
  });
});

describe('A client with heartbeatMillis', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0]): {
    client: RemotingClient;
    clock: ManualClock;
  } {
    const clock = new ManualClock();
    const client = new RemotingClient({ clock, allIdleMillis: 0, ...options });
    cleanUps.push(() => client.destroy());
    return { client, clock };
  }

  async function serve(): Promise<RemotingServer> {
    const server = new RemotingServer();
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0) });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  it('takes the answer that the code is unknown for a sign of life (W30)', async () => {
    const server = await serve();
    const { client, clock } = makeClient({ heartbeatMillis: 1_000, heartbeatMisses: 2 });
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const channel = client.channel(server.address);
    for (let i = 1; i <= 5; i++) {
      clock.advance(1_000);
      await until(() => server.counters.requestsIn === 1 + i);
      await until(() => client.counters.responsesIn === 1 + i);
    }
    expect(client.channel(server.address)).to.equal(channel);
  });

  it('leaves a frozen server: calls that wait end at once, the next gets another connection (W27)', async () => {
    const raw = await rawServer((socket) => socket.resume());
    cleanUps.push(() => raw.close());
    const { client, clock } = makeClient({ heartbeatMillis: 1_000, heartbeatMisses: 3 });
    const call = client
      .invokeSync(raw.address, RemotingCommand.request(1), 60_000)
      .catch((error: RemotingError) => error);
    await until(() => client.channel(raw.address) !== undefined);
    clock.advance(3_000);
    const error = (await call) as RemotingError;
    expect([error.code, error.sent]).to.deep.equal(['CONNECTION_CLOSED', 'maybe']);
    expect((error.cause as RemotingError).message).to.match(/^nothing came from/);
    await client.connect(raw.address);
    expect(raw.connections).to.equal(2);
  });

  it('verifies a connection before its use after a long silence or a sleep of the machine, and replaces a dead one within the call (W34)', async () => {
    const server = await serve();
    let isBlack = false;
    // Carries bytes until it is a black hole for the connections that it has.
    const proxy = await rawServer((socket) => {
      const [host, port] = server.address.split(':');
      const upstream = connect({ host, port: Number(port) }).on('error', () => {});
      const carries = !isBlack;
      const born = proxy.connections;
      socket.on('data', (data) => {
        if (carries && (!isBlack || born > 1)) upstream.write(data);
      });
      upstream.on('data', (data) => socket.write(data));
      socket.once('close', () => upstream.destroy());
    });
    cleanUps.push(() => proxy.close());
    const { client, clock } = makeClient({ verifyIdleMillis: 60_000, heartbeatTimeoutMillis: 500 });
    const ask = () => client.invokeSync(proxy.address, RemotingCommand.request(1), 3_000);
    expect((await ask()).code).to.equal(0);
    const first = client.channel(proxy.address);
    clock.jump(3_600_000);
    expect((await ask()).code).to.equal(0);
    expect(client.channel(proxy.address)).to.equal(first);
    expect(server.counters.requestsIn).to.equal(3);
    isBlack = true;
    clock.advance(600_000);
    const late = Promise.all([ask(), ask()]);
    await until(() => clock.pendingTimers > 0);
    isBlack = false;
    clock.advance(500);
    expect((await late).map(({ code }) => code)).to.deep.equal([0, 0]);
    expect(client.channel(proxy.address)).to.not.equal(first);
    expect(proxy.connections).to.equal(2);
  });
});
