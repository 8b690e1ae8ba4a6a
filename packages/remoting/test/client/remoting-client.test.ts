import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';

/** A server that takes connections and does with their bytes what the test says. */
async function rawServer(
  onConnection: (socket: Socket) => void,
): Promise<{ address: string; sockets: Socket[]; server: Server }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return { address: `127.0.0.1:${bound.port}`, sockets, server };
}

/** An address where nobody listens. */
async function deadAddress(): Promise<string> {
  const { address, server } = await rawServer(() => {});
  await new Promise((resolve) => server.close(resolve));
  return address;
}

async function failure(promise: Promise<unknown>): Promise<RemotingError> {
  try {
    await promise;
  } catch (error) {
    if (RemotingError.is(error)) return error;
    throw error;
  }
  return expect.fail('the call succeeded');
}

describe('RemotingClient', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0] = {}): RemotingClient {
    const client = new RemotingClient(options);
    cleanUps.push(() => client.destroy());
    return client;
  }

  async function makeRaw(onConnection: (socket: Socket) => void): Promise<string> {
    const { address, server, sockets } = await rawServer(onConnection);
    cleanUps.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return address;
  }

  async function makeEcho(): Promise<RemotingServer> {
    const server = new RemotingServer();
    server.registerDefaultProcessor({
      processRequest: (_ctx, asked) =>
        RemotingCommand.response(0, undefined, { extFields: asked.extFields, body: asked.body }),
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  it('makes one connection for many callers at once (W33)', async () => {
    const server = await makeEcho();
    const client = makeClient();
    const calls = Array.from({ length: 50 }, (_, i) =>
      client.invokeSync(server.address, RemotingCommand.request(1, { body: Buffer.from([i]) })),
    );
    const answers = await Promise.all(calls);
    expect(answers.map((response) => response.body?.[0])).to.deep.equal(Array.from({ length: 50 }, (_, i) => i));
    expect(server.channels.size).to.equal(1);
  });

  it('fails with CONNECT_FAILED and the address when nobody listens (W77)', async () => {
    const address = await deadAddress();
    const error = await failure(makeClient().invokeSync(address, RemotingCommand.request(1)));
    expect(error).to.deep.include({ code: 'CONNECT_FAILED', address });
    expect(error.message).to.match(new RegExp(`^connect to ${address} failed: .*ECONNREFUSED`));
  });

  it('refuses an address that is none, naming it', async () => {
    expect((await failure(makeClient().invokeSync('nonsense', RemotingCommand.request(1)))).message).to.contain(
      'nonsense',
    );
  });

  it('fails with CONNECT_FAILED when no address is given and no name server is set', async () => {
    const client = makeClient();
    expect((await failure(client.invokeSync(undefined, RemotingCommand.request(1)))).message).to.match(
      /^connect to null/,
    );
    expect((await failure(client.invokeOneway(undefined, RemotingCommand.request(1)))).code).to.equal('CONNECT_FAILED');
  });

  it('goes to the next name server within the call when one is dead, and stays with the one that works', async () => {
    const server = await makeEcho();
    const client = makeClient();
    client.updateNameServerAddressList([await deadAddress(), server.address, await deadAddress()]);
    for (let i = 0; i < 3; i++)
      expect((await client.invokeSync(undefined, RemotingCommand.request(1))).code).to.equal(0);
    expect(server.channels.size).to.equal(1);
  });

  it('fails a call at once when the server closes without an answer', async () => {
    const address = await makeRaw((socket) => socket.once('data', () => socket.end()));
    const clock = new ManualClock();
    const error = await failure(makeClient({ clock }).invokeSync(address, RemotingCommand.request(1), 60_000));
    expect(error).to.deep.include({ code: 'CONNECTION_CLOSED', address });
    expect(clock.monotonic()).to.equal(0);
  });

  it('fails all calls of a connection that is reset, and dials anew for the next', async () => {
    let connections = 0;
    const address = await makeRaw((socket) => {
      connections++;
      socket.once('data', () => socket.resetAndDestroy());
    });
    const client = makeClient();
    const errors = await Promise.all(
      [1, 2, 3].map((code) => failure(client.invokeSync(address, RemotingCommand.request(code)))),
    );
    expect(errors.map((error) => error.code)).to.deep.equal([
      'CONNECTION_CLOSED',
      'CONNECTION_CLOSED',
      'CONNECTION_CLOSED',
    ]);
    await failure(client.invokeSync(address, RemotingCommand.request(4)));
    expect(connections).to.equal(2);
  });

  it('fails a call at once when the answer is garbage', async () => {
    const address = await makeRaw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const error = await failure(
      makeClient({ clock: new ManualClock() }).invokeSync(address, RemotingCommand.request(1), 60_000),
    );
    expect(error.code).to.equal('CONNECTION_CLOSED');
  });

  it('ends a call with TIMEOUT and closes its connection, so that the next call gets a fresh one (W93)', async () => {
    let connections = 0;
    let gotRequest = (): void => {};
    const address = await makeRaw((socket) => {
      connections++;
      socket.on('data', () => gotRequest());
    });
    const clock = new ManualClock();
    const client = makeClient({ clock });
    for (const expected of [1, 2]) {
      const arrived = new Promise<void>((resolve) => (gotRequest = resolve));
      const call = failure(client.invokeSync(address, RemotingCommand.request(1), 500));
      await arrived;
      clock.advance(500);
      expect((await call).code).to.equal('TIMEOUT');
      expect(connections).to.equal(expected);
    }
  });

  it('spends one timeout on the dial too', async () => {
    const clock = new ManualClock();
    const client = makeClient({ clock });
    const address = await makeRaw(() => {});
    const call = failure(client.invokeSync(address, RemotingCommand.request(1), 100));
    clock.advance(100);
    expect(await call).to.deep.include({ code: 'TIMEOUT', address });
  });

  it('refuses a timeout that is not above 0, or longer than a timer can wait, sending nothing (W23)', async () => {
    const server = await makeEcho();
    const client = makeClient();
    for (const timeoutMillis of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      expect(
        (await failure(client.invokeSync(server.address, RemotingCommand.request(1), timeoutMillis))).code,
      ).to.equal('INVALID_ARGUMENT');
    }
    expect(server.channels.size).to.equal(0);
  });

  it('ends a call with ABORTED by its signal, before and while it waits (W3)', async () => {
    const arrived: (() => void)[] = [];
    const address = await makeRaw((socket) => socket.on('data', () => arrived.shift()?.()));
    const client = makeClient();
    expect(
      (await failure(client.invokeSync(address, RemotingCommand.request(1), 500, { signal: AbortSignal.abort() })))
        .code,
    ).to.equal('ABORTED');
    const controller = new AbortController();
    const sent = new Promise<void>((resolve) => arrived.push(resolve));
    const call = failure(client.invokeSync(address, RemotingCommand.request(1), 5_000, { signal: controller.signal }));
    await sent;
    controller.abort(new Error('changed my mind'));
    expect(await call).to.deep.include({ code: 'ABORTED', address });
  });

  it('ends a call with ABORTED in whichever step after the dial its signal comes', async () => {
    const address = await makeRaw(() => {});
    for (let step = 0; step < 12; step++) {
      const client = makeClient({ clock: new ManualClock() });
      const controller = new AbortController();
      client.on('connect', async () => {
        for (let i = 0; i < step; i++) await undefined;
        controller.abort();
      });
      const request = RemotingCommand.request(1);
      const error = await failure(client.invokeSync(address, request, 5_000, { signal: controller.signal }));
      expect(error.code, `step ${step}`).to.equal('ABORTED');
    }
  });

  it('shows the open connection to an address, and none before the first call and after its end (W92)', async () => {
    const server = await makeEcho();
    const client = makeClient();
    expect(client.channel(server.address)).to.equal(undefined);
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const channel = client.channel(server.address);
    expect(channel?.remoteAddress).to.equal(server.address);
    await channel?.close();
    expect(client.channel(server.address)).to.equal(undefined);
  });

  it('tells a callback once, and gives its permit back', async () => {
    const server = await makeEcho();
    const client = makeClient({ asyncPermits: 1 });
    const tell = (): Promise<string | number | undefined> =>
      new Promise((resolve) =>
        client.invokeAsync(server.address, RemotingCommand.request(1), 3_000, (error, response) =>
          resolve(error?.code ?? response?.code),
        ),
      );
    const [first, second] = [tell(), tell()];
    expect(await second).to.equal('TOO_MANY_REQUESTS');
    expect(await first).to.equal(0);
    expect(await tell()).to.equal(0);
  });

  it('does not send a frame above the limit: the call fails, the connection stands (W44)', async () => {
    const server = await makeEcho();
    const client = makeClient({ maxFrameBytes: 1_000 });
    const error = await failure(
      client.invokeSync(server.address, RemotingCommand.request(1, { body: Buffer.alloc(2_000) })),
    );
    expect(error.code).to.equal('SEND_FAILED');
    expect((error.cause as RemotingError).code).to.equal('FRAME_TOO_LARGE');
    expect((await client.invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
    expect(server.channels.size).to.equal(1);
  });

  it('leaves a name server that accepts and then closes', async () => {
    const server = await makeEcho();
    const closing = await makeRaw((socket) => socket.once('data', () => socket.end()));
    for (let i = 0; i < 4; i++) {
      const client = makeClient();
      client.updateNameServerAddressList([closing, server.address]);
      const codes: (string | number)[] = [];
      for (let n = 0; n < 3; n++) {
        const call = client.invokeSync(undefined, RemotingCommand.request(1));
        codes.push(
          await call.then(
            ({ code }) => code,
            (error: RemotingError) => error.code,
          ),
        );
      }
      expect(codes.slice(1), codes.join()).to.deep.equal([0, 0]);
    }
  });

  it('emits exception with its cause, which the failed call has too', async () => {
    const address = await makeRaw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const client = makeClient();
    const seen: string[] = [];
    client.on('exception', (channel, error) => seen.push(`${channel.remoteAddress} ${error.code}`));
    const error = await failure(client.invokeSync(address, RemotingCommand.request(1)));
    expect(seen).to.deep.equal([`${address} FRAME_TOO_LARGE`]);
    expect((error.cause as RemotingError).code).to.equal('FRAME_TOO_LARGE');
  });

  it('needs nobody to look at failures: of calls, oneway requests, typed ones, also of a server', async () => {
    const Greet = defineCommand({ code: 1, name: 'GREET', request: { times: t.int() } });
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      const server = await makeEcho();
      const client = makeClient();
      await client.invokeSync(server.address, RemotingCommand.request(1));
      const [channel] = server.channels;
      await client.destroy();
      if (channel === undefined) return expect.fail('no channel');
      await channel.closed;
      void client.invokeSync(server.address, RemotingCommand.request(1));
      void client.invokeOneway(server.address, RemotingCommand.request(1));
      void client.call(server.address, Greet, { times: 1 });
      void client.oneway(server.address, Greet, { times: 0.5 });
      void server.invokeSync(channel, RemotingCommand.request(1));
      void server.invokeOneway(channel, RemotingCommand.request(1));
      void server.call(channel, Greet, { times: 1 });
      void server.oneway(channel, Greet, { times: 1 });
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.removeListener('unhandledRejection', listener);
    }
    return undefined;
  });

  it('leaves a name server given by its host name when that does not answer in time', async () => {
    const server = await makeEcho();
    let gotRequest = (): void => {};
    const silent = await makeRaw((socket) => socket.on('data', () => gotRequest()));
    const clock = new ManualClock();
    const client = makeClient({ clock });
    client.updateNameServerAddressList([silent.replace('127.0.0.1', 'localhost')]);
    const arrived = new Promise<void>((resolve) => {
      gotRequest = resolve;
    });
    const call = failure(client.invokeSync(undefined, RemotingCommand.request(1), 500));
    await arrived;
    client.updateNameServerAddressList([silent.replace('127.0.0.1', 'localhost'), server.address]);
    clock.advance(500);
    expect((await call).code).to.equal('TIMEOUT');
    expect((await client.invokeSync(undefined, RemotingCommand.request(1), 500)).code).to.equal(0);
  });

  it('rejects a typed oneway request whose header is wrong, instead of throwing', async () => {
    const Greet = defineCommand({ code: 1, name: 'GREET', request: { times: t.int() } });
    const sent = makeClient().oneway('127.0.0.1:1', Greet, { times: 1.5 });
    expect((await failure(sent)).code).to.equal('ENCODE_FAILED');
  });

  it('names command, address and opaque of an answer that is not what the definition says', async () => {
    const server = await makeEcho();
    const Greet = defineCommand({ code: 1, name: 'GREET', response: { text: t.string() } });
    const error = await failure(makeClient().call(server.address, Greet, {}));
    expect(error).to.deep.include({ code: 'DECODE_FAILED', address: server.address, opaque: 0 });
    expect(error.message).to.equal('the answer to GREET does not decode: the custom field <text> is null');
  });

  it('says every option that cannot be', () => {
    const wrong = { timeoutMillis: 0, maxFrameBytes: Number.NaN, language: 'KLINGON', colour: 'red', clock: undefined };
    expect(() => new RemotingClient(wrong as never))
      .to.throw(RemotingError)
      .with.property('message')
      .that.matches(
        /^options of RemotingClient: timeoutMillis must be .*; maxFrameBytes must be .*; language must be .*; colour is unknown/,
      );
  });

  it('closes the connection whose initChannel failed', async () => {
    let open = 0;
    const address = await makeRaw((socket) => {
      open++;
      socket.resume().once('close', () => open--);
    });
    const client = makeClient({
      initChannel: () => {
        throw new TypeError('no');
      },
    });
    const error = await failure(client.invokeSync(address, RemotingCommand.request(1)));
    expect(error).to.deep.include({ code: 'HANDLER_FAILED', address, message: 'initChannel failed: no' });
    await client.close();
    while (open > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('destroy in a connect listener ends the call with CLOSED at once, and the connection', async () => {
    const address = await makeRaw((socket) => socket.resume());
    const client = makeClient({ clock: new ManualClock() });
    const closed = new Promise((resolve) => client.on('close', resolve));
    client.on('connect', () => void client.destroy());
    expect((await failure(client.invokeSync(address, RemotingCommand.request(1), 60_000))).code).to.equal('CLOSED');
    await closed;
  });

  it('destroy while dialling ends the call with CLOSED', async () => {
    const address = await makeRaw(() => {});
    const client = makeClient({ clock: new ManualClock() });
    const call = failure(client.invokeSync(address, RemotingCommand.request(1), 60_000));
    await client.destroy();
    expect((await call).code).to.equal('CLOSED');
  });

  it('destroy ends a close that waits', async () => {
    const address = await makeRaw((socket) => socket.resume());
    const client = makeClient({ clock: new ManualClock() });
    const call = failure(client.invokeSync(address, RemotingCommand.request(1), 60_000));
    const closed = client.close();
    await client.destroy();
    await closed;
    expect((await call).code).to.equal('CLOSED');
  });

  it('answers requests of servers by their code, by default, or with code 3', async () => {
    const server = await makeEcho();
    const client = makeClient();
    const Poke = defineCommand({ code: 40, name: 'POKE', request: { who: t.string() }, response: { by: t.string() } });
    client.handle(Poke, ({ header }) => ({ header: { by: header.who } }));
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const [channel] = server.channels;
    if (channel === undefined) return expect.fail('no channel');
    expect((await server.call(channel, Poke, { who: 'me' })).header.by).to.equal('me');
    expect((await server.invokeSync(channel, RemotingCommand.request(41))).code).to.equal(3);
    client.registerDefaultProcessor({ processRequest: () => RemotingCommand.response(0, 'by default') });
    expect((await server.invokeSync(channel, RemotingCommand.request(41))).remark).to.equal('by default');
    return undefined;
  });

  it('close lets calls under way end and refuses new ones', async () => {
    const server = new RemotingServer();
    let finish = (): void => {};
    const asked = new Promise<void>((resolve) => {
      server.registerProcessor(1, {
        processRequest: () => {
          resolve();
          return new Promise((answered) => (finish = () => answered(RemotingCommand.response(0))));
        },
      });
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    const client = makeClient();
    const call = client.invokeSync(server.address, RemotingCommand.request(1));
    await asked;
    const closed = client.close();
    expect((await failure(client.invokeSync(server.address, RemotingCommand.request(1)))).code).to.equal('CLOSED');
    finish();
    expect((await call).code).to.equal(0);
    await closed;
  });

  it('destroy ends calls under way with CLOSED; nobody has to catch them', async () => {
    let gotRequest = (): void => {};
    const arrived = new Promise<void>((resolve) => (gotRequest = resolve));
    const address = await makeRaw((socket) => socket.on('data', () => gotRequest()));
    const client = makeClient();
    const call = client.invokeSync(address, RemotingCommand.request(1));
    void client.invokeSync(address, RemotingCommand.request(2));
    await arrived;
    await client.destroy();
    expect((await failure(call)).code).to.equal('CLOSED');
  });
});
