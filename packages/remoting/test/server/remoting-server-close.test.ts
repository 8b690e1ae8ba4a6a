import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import type { RequestProcessor } from '../../src/rpc/request-processor.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { RemotingServerOptions } from '../../src/server/server-options.js';
import { ManualClock } from '../../src/testing.js';

/** A release that knows GO_AWAY, and the last one that does not. */
const NEWER = 476;
const OLDER = 475;

/** A processor whose requests end when told, each by its opaque. */
class HeldProcessor implements RequestProcessor {
  readonly signals: AbortSignal[] = [];
  readonly #waiting: (() => void)[] = [];
  #onAsked: () => void = () => {};

  processRequest(ctx: { signal: AbortSignal }): Promise<RemotingCommand> {
    this.signals.push(ctx.signal);
    const answer = new Promise<RemotingCommand>((resolve) =>
      this.#waiting.push(() => resolve(RemotingCommand.response(0, 'done'))),
    );
    this.#onAsked();
    return answer;
  }

  async asked(count: number): Promise<void> {
    while (this.signals.length < count) {
      await new Promise<void>((resolve) => {
        this.#onAsked = resolve;
      });
    }
  }

  finish(count: number): void {
    for (const end of this.#waiting.splice(0, count)) end();
  }
}

describe('RemotingServer.close', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function makeServer(options: RemotingServerOptions = {}): Promise<{
    server: RemotingServer;
    held: HeldProcessor;
    clock: ManualClock;
  }> {
    const clock = new ManualClock();
    const server = new RemotingServer({ clock, allIdleMillis: 0, frameTimeoutMillis: 0, ...options });
    const held = new HeldProcessor();
    server.registerProcessor(1, held);
    server.registerProcessor(2, { processRequest: () => RemotingCommand.response(0, 'at once') });
    await server.start();
    cleanUps.push(() => server.destroy());
    return { server, held, clock };
  }

  function makeClient(version: number): RemotingClient {
    const client = new RemotingClient({ version });
    cleanUps.push(() => client.destroy());
    return client;
  }

  const ask = (client: RemotingClient, server: RemotingServer, code: number): Promise<number | string> =>
    client.invokeSync(server.address, RemotingCommand.request(code)).then(
      (response) => response.code,
      (error: RemotingError) => error.code,
    );

  async function rawSocket(server: RemotingServer): Promise<Socket> {
    const socket = connect({ ...parseSocketAddress(server.address), allowHalfOpen: false });
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  it('of a server with an idle client ends without a timer, and serves nothing after it (W60, W64)', async () => {
    const { server, clock } = await makeServer();
    const client = makeClient(NEWER);
    expect(await ask(client, server, 2)).to.equal(0);
    const closed = server.close();
    // The grace is over in the turn in which it begins.
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    expect([...server.channels].map(({ isActive }) => isActive)).to.deep.equal([false]);
    expect(await closed).to.deep.equal({ finished: 0, cut: 0 });
    expect([server.channels.size, clock.pendingTimers]).to.deep.equal([0, 0]);
    expect(await ask(client, server, 2)).to.equal('CONNECT_FAILED');
  });

  it('answers GO_AWAY to peers that know it, drops their oneway requests, and serves older ones', async () => {
    const { server, held } = await makeServer();
    const newer = makeClient(NEWER);
    const older = makeClient(OLDER);
    const first = ask(newer, server, 1);
    expect(await ask(older, server, 2)).to.equal(0);
    await held.asked(1);
    const closed = server.close();
    const oneways = held.signals.length;
    const socket = [...server.channels];
    expect(socket.length).to.equal(2);
    // By the wire, so that no client's own dealing with GO_AWAY is in between.
    const [newerChannel] = [newer.channel(server.address)];
    const seen = new Promise<RemotingCommand>((resolve) => {
      newerChannel?.pipeline.addBefore('dispatcher', 'spy', {
        channelRead: (ctx, message) => {
          if ((message as RemotingCommand).opaque === 4711) resolve(message as RemotingCommand);
          else ctx.fireChannelRead(message);
        },
      });
    });
    newerChannel?.writeAndFlush(RemotingCommand.request(1, { opaque: 4710, version: NEWER, flag: 2 }));
    newerChannel?.writeAndFlush(RemotingCommand.request(2, { opaque: 4711, version: NEWER }));
    expect(await seen).to.deep.include({ code: 1500, remark: 'please go away' });
    expect(await ask(older, server, 2)).to.equal(0);
    expect([held.signals.length, server.counters.goAways]).to.deep.equal([oneways, 2]);
    held.finish(1);
    expect(await first).to.equal(0);
    expect(await closed).to.deep.equal({ finished: 1, cut: 0 });
  });

  it('answers all living clients, cuts off what never ends, and reports both within its grace (W61)', async () => {
    const { server, held, clock } = await makeServer();
    const living = makeClient(OLDER);
    const calls = Array.from({ length: 70 }, () => ask(living, server, 1));
    await held.asked(70);
    const vanished = await Promise.all(Array.from({ length: 20 }, () => rawSocket(server)));
    for (const socket of vanished) socket.write(Buffer.concat(encodeFrame(RemotingCommand.request(1, { opaque: 1 }))));
    await held.asked(90);
    const endless = Array.from({ length: 10 }, () => ask(living, server, 1));
    await held.asked(100);
    for (const socket of vanished) socket.destroy();
    while (server.channels.size > 1) await new Promise((resolve) => setImmediate(resolve));
    let report: unknown;
    const closed = server.close({ graceMillis: 2_000 }).then((is) => {
      report = is;
    });
    held.finish(90);
    expect(await Promise.all(calls)).to.deep.equal(Array(70).fill(0));
    clock.advance(1_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect([report, held.signals[95]?.aborted]).to.deep.equal([undefined, false]);
    clock.advance(1);
    await closed;
    expect(report).to.deep.equal({ finished: 90, cut: 10 });
    expect(held.signals.slice(90).every(({ aborted }) => aborted)).to.equal(true);
    expect(await Promise.all(endless)).to.deep.equal(Array(10).fill('CONNECTION_CLOSED'));
  });

  it('drops what waits in a queue when it is cut off, and leaves no timer behind', async () => {
    const { server, held, clock } = await makeServer();
    server.registerProcessor(3, held, { concurrency: 1, maxQueueMillis: 60_000 });
    const client = makeClient(OLDER);
    const calls = [1, 2, 3].map(() => ask(client, server, 3));
    await held.asked(1);
    while (server.workQueue(3)?.size !== 2) await new Promise((resolve) => setImmediate(resolve));
    const closed = server.close({ graceMillis: 100 });
    clock.advance(100);
    expect(await closed).to.deep.equal({ finished: 0, cut: 3 });
    expect([server.workQueue(3)?.size, clock.pendingTimers]).to.deep.equal([0, 0]);
    expect(await Promise.all(calls)).to.deep.equal(Array(3).fill('CONNECTION_CLOSED'));
    held.finish(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(held.signals.length).to.equal(1);
  });

  it('is woken by a call to a client that times out', async () => {
    const { server, clock } = await makeServer();
    const client = makeClient(OLDER);
    client.registerProcessor(40, { processRequest: () => new Promise(() => {}) });
    expect(await ask(client, server, 2)).to.equal(0);
    const [channel] = server.channels;
    if (channel === undefined) return expect.fail('no channel');
    const call = server.invokeSync(channel, RemotingCommand.request(40), 2_000).catch((error) => error.code);
    let done = false;
    const closed = server.close({ graceMillis: 5_000 }).then(() => {
      done = true;
    });
    clock.advance(1_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).to.equal(false);
    clock.advance(1);
    expect(await call).to.equal('TIMEOUT');
    await closed;
    return undefined;
  });

  it('keeps connections for goAwayMillis, so that peers hear of it, and ends when all have gone', async () => {
    const { server, clock } = await makeServer();
    const socket = await rawSocket(server);
    const answer = once(socket, 'data');
    while (server.channels.size === 0) await new Promise((resolve) => setImmediate(resolve));
    let done = false;
    const closed = server.close({ goAwayMillis: 30_000 }).then(() => {
      done = true;
    });
    clock.advance(29_999);
    socket.write(Buffer.concat(encodeFrame(RemotingCommand.request(2, { opaque: 1, version: NEWER }))));
    expect(String((await answer)[0])).to.contain('"code":1500,');
    expect(done).to.equal(false);
    socket.end();
    await closed;
    expect(clock.pendingTimers).to.equal(0);
  });

  it('closes what is left when goAwayMillis are over', async () => {
    const { server, clock } = await makeServer();
    const socket = await rawSocket(server);
    while (server.channels.size === 0) await new Promise((resolve) => setImmediate(resolve));
    const ended = once(socket.resume(), 'close');
    const closed = server.close({ goAwayMillis: 30_000 });
    clock.advance(30_000);
    await ended;
    expect(await closed).to.deep.equal({ finished: 0, cut: 0 });
  });

  it('is ended at once by destroy, whatever it waits for', async () => {
    const { server, held } = await makeServer();
    const call = ask(makeClient(OLDER), server, 1);
    await held.asked(1);
    const closed = server.close({ graceMillis: 60_000, goAwayMillis: 60_000 });
    await server.destroy();
    expect(await closed).to.deep.equal({ finished: 0, cut: 1 });
    expect([await call, held.signals[0]?.aborted]).to.deep.equal(['CONNECTION_CLOSED', true]);
  });

  it('and its start leave the process as they found it (W63)', async () => {
    const count = (): number[] =>
      ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection', 'exit', 'beforeExit', 'warning'].map((event) =>
        process.listenerCount(event),
      );
    const before = count();
    const { server } = await makeServer();
    expect(await ask(makeClient(OLDER), server, 2)).to.equal(0);
    expect(count()).to.deep.equal(before);
    await server.close();
    expect(count()).to.deep.equal(before);
  });
});
