import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { dial } from '../../src/client/dial.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { dialThrough } from '../../src/client/socks-dial.js';
import { SocksProxies } from '../../src/client/socks-proxies.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { SocksServer, type SocksServerOptions } from './socks-server.js';

describe('dialThrough', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function startProxy(options: SocksServerOptions = {}): Promise<{ proxy: SocksServer; addr: string }> {
    const proxy = new SocksServer(options);
    cleanUps.push(() => proxy.close());
    return { proxy, addr: await proxy.start() };
  }

  /** The port of a server that echoes. */
  async function startTarget(): Promise<number> {
    const sockets = new Set<Socket>();
    const target = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.pipe(socket);
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => target.close(resolve));
    });
    const bound = target.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  }

  async function dialTo(
    host: string,
    port: number,
    config: ConstructorParameters<typeof SocksProxies>[0],
    clock = new ManualClock(),
    signal = new AbortController().signal,
  ): Promise<Socket> {
    const socket = await dialThrough(new SocksProxies(config), dial)(
      { host, port },
      `${host}:${port}`,
      500,
      clock,
      signal,
    );
    cleanUps.push(() => socket.destroy());
    return socket;
  }

  const failure = (dialled: Promise<Socket>): Promise<RemotingError> =>
    dialled.then(
      () => expect.fail('it connected'),
      (error: RemotingError) => error,
    );

  const firstBytes = (socket: Socket): Promise<string> =>
    new Promise((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())).resume());

  const login = { username: 'ada', password: 'lovelace' };

  it('connects through the proxy, which resolves the name, and hands over a socket that works', async () => {
    const { proxy, addr } = await startProxy({ login });
    const port = await startTarget();
    const clock = new ManualClock();
    const socket = await dialTo('mq.example', port, { '0.0.0.0/0': { addr, ...login } }, clock);
    socket.write('hello');
    expect(await firstBytes(socket)).to.equal('hello');
    expect([proxy.asked, clock.pendingTimers]).to.deep.equal([[`3 mq.example ${port}`], 0]);
  });

  it('hands over what the target sent together with the answer of the proxy', async () => {
    const { addr } = await startProxy({ greeting: Buffer.from('welcome') });
    const socket = await dialTo('10.0.0.1', await startTarget(), { '10.0.0.0/8': { addr } });
    expect(await firstBytes(socket)).to.equal('welcome');
  });

  it('understands answers cut at any byte', async () => {
    const port = await startTarget();
    for (let cutAt = 1; cutAt <= 10; cutAt++) {
      const { addr } = await startProxy({ login, cutAt });
      const socket = await dialTo('mq.example', port, { '0.0.0.0/0': { addr, ...login } });
      socket.write('hello');
      expect(await firstBytes(socket), `cut at ${cutAt}`).to.equal('hello');
    }
  });

  it('dials directly what is in no range', async () => {
    const port = await startTarget();
    const socket = await dialTo('127.0.0.1', port, { '10.0.0.0/8': { addr: '127.0.0.1:1' } });
    expect(socket.remotePort).to.equal(port);
  });

  it('fails with the reason of the proxy, leaves no timer and no socket, and tells nobody its password', async () => {
    const cases: [SocksServerOptions, RegExp][] = [
      [{ refuseWith: 2 }, /it answered 2, connection not allowed by ruleset/],
      [{ login: { username: 'ada', password: 'other' } }, /it refused the username and password/],
      [{ garbage: Buffer.from('HTTP/1.1 400') }, /it answered with version 72 where 5 was due: it is no SOCKS5 proxy/],
    ];
    for (const [options, reason] of cases) {
      const { addr } = await startProxy(options);
      const clock = new ManualClock();
      const error = await failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr, ...login } }, clock));
      expect(error).to.deep.include({ code: 'CONNECT_FAILED', address: 'mq:9876' });
      expect(error.message).to.match(reason).and.contain(`connect to mq:9876 through the SOCKS proxy ${addr} failed: `);
      expect(inspect(error, { depth: 9 })).to.not.contain('lovelace');
      expect(clock.pendingTimers).to.equal(0);
    }
    const { addr } = await startProxy({ login });
    const error = await failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr } }));
    expect(error.message).to.match(/it wants authentication, and there is no username for it/);
  });

  it('fails when nobody listens at the proxy, and when the proxy closes', async () => {
    const gone = new SocksServer();
    const addr = await gone.start();
    await gone.close();
    const error = await failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr } }));
    expect(error).to.deep.include({ code: 'CONNECT_FAILED', address: 'mq:9876' });
    expect(error.message).to.match(/ECONNREFUSED/);

    const closing = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(),
    );
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => closing.close(resolve)));
    const bound = closing.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    const closed = await failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr: `127.0.0.1:${port}` } }));
    expect(closed.message).to.match(/it closed the connection before it answered|ECONNRESET|EPIPE/);
  });

  it('gives up a proxy that goes silent when the time is up, or when it is aborted', async () => {
    for (const silentFrom of [0, 1]) {
      const { addr } = await startProxy({ login, silentFrom });
      const controller = new AbortController();
      const clock = new ManualClock();
      const late = failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr, ...login } }, clock));
      const aborted = failure(dialTo('mq', 9876, { '0.0.0.0/0': { addr, ...login } }, clock, controller.signal));
      // Until both are beyond the connection to the proxy.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(499);
      controller.abort();
      expect((await aborted).message).to.match(/the client was closed/);
      clock.advance(1);
      expect((await late).message).to.match(/in time|within 500 ms/);
      expect(clock.pendingTimers).to.equal(0);
    }
  });

  it('carries the calls of a client whose option socksProxy says so', async () => {
    const { proxy, addr } = await startProxy({ login });
    const server = new RemotingServer();
    cleanUps.push(() => server.destroy());
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, 'served') });
    await server.start();
    const port = server.address.slice(server.address.lastIndexOf(':') + 1);
    const client = new RemotingClient({ socksProxy: JSON.stringify({ '0.0.0.0/0': { addr, ...login } }) });
    cleanUps.push(() => client.destroy());
    expect((await client.invokeSync(`broker.internal:${port}`, RemotingCommand.request(1))).remark).to.equal('served');
    expect(proxy.asked).to.deep.equal([`3 broker.internal ${port}`]);
  });

  it('names what is wrong with the option', () => {
    expect(() => new RemotingClient({ socksProxy: '{"10.0.0.0/8":{"password":"secret"}}' })) //
      .to.throw('options of RemotingClient: socksProxy cannot be: 10.0.0.0/8 has no addr');
  });
});
