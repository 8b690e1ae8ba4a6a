import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import type { RemotingClientOptions } from '../../src/client/client-options.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import type { RequestProcessor } from '../../src/rpc/request-processor.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';

const Echo = defineCommand({
  code: 1,
  name: 'ECHO',
  request: { count: t.int(), messageTitle: t.string() },
  response: { count: t.int(), messageTitle: t.string() },
});

const request = (code = 1): RemotingCommand =>
  RemotingCommand.request(code, { extFields: { count: '0', messageTitle: 'Welcome' } });

// Reference: remoting 9.1 and 9.2.
describe('calls, by the rows of the reference', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const echo: RequestProcessor = {
    processRequest: (_ctx, { extFields }) => RemotingCommand.response(0, undefined, { extFields }),
  };

  async function startServer(processor: RequestProcessor | undefined = echo): Promise<RemotingServer> {
    const server = new RemotingServer();
    if (processor !== undefined) server.registerProcessor(1, processor);
    cleanUps.push(() => server.destroy());
    await server.start();
    return server;
  }

  function makeClient(options: RemotingClientOptions = {}): RemotingClient {
    const client = new RemotingClient(options);
    cleanUps.push(() => client.destroy());
    return client;
  }

  /** The address of a peer that does something with each connection's bytes. */
  async function startPeer(onData: (socket: Socket, chunk: Buffer) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const peer = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('data', (chunk) => onData(socket, chunk));
    });
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => peer.close(resolve));
    });
    const bound = peer.address();
    return `127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  }

  /** An address where nobody listens. */
  async function deadAddress(): Promise<string> {
    const server = new RemotingServer();
    await server.start();
    const { address } = server;
    await server.destroy();
    return address;
  }

  /** A peer that reads and says nothing; it tells of each request. */
  async function startSilent(): Promise<{ address: string; asked: () => Promise<Socket> }> {
    const requests: Socket[] = [];
    let tell = (): void => {};
    const address = await startPeer((socket) => {
      requests.push(socket);
      tell();
    });
    const asked = async (): Promise<Socket> => {
      for (;;) {
        const socket = requests.shift();
        if (socket !== undefined) return socket;
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    };
    return { address, asked };
  }

  const failure = (call: Promise<unknown>): Promise<RemotingError> =>
    call.then(
      () => expect.fail('it succeeded'),
      (error: RemotingError) => error,
    );

  const callAsync = (client: RemotingClient, address: string, millis = 3000): Promise<RemotingCommand> =>
    new Promise((resolve, reject) => {
      client.invokeAsync(address, request(), millis, (error, response) => {
        if (response === undefined) reject(error);
        else resolve(response);
      });
    });

  it('run the callback of an asynchronous call, in the turn of its answer, while its permit is held (A17, A19)', async () => {
    const server = await startServer();
    const client = makeClient({ asyncPermits: 1 });
    const codes: unknown[] = [];
    await new Promise<void>((resolve) => {
      client.invokeAsync(server.address, request(), 3000, (_error, response) => {
        codes.push(response?.code);
        // Within the callback the one permit is still taken.
        client.invokeAsync(server.address, request(), 3000, (error) => {
          codes.push(error?.code);
          resolve();
        });
      });
    });
    expect(codes).to.deep.equal([0, 'TOO_MANY_REQUESTS']);
    expect((await callAsync(client, server.address)).code).to.equal(0);
  });

  it('with a timeout below zero end at once and leave nothing behind (A20)', async () => {
    const { address } = await startSilent();
    const clock = new ManualClock();
    const client = makeClient({ clock });
    expect((await failure(client.invokeSync(address, request(), -1000))).code).to.equal('INVALID_ARGUMENT');
    expect([clock.pendingTimers, client.channel(address)]).to.deep.equal([0, undefined]);
  });

  it('get the echo of their two fields, from a server of language JAVA, in each form (A22, A23, A24)', async () => {
    const server = await startServer();
    const client = makeClient();
    for (const answer of [
      await client.invokeSync(server.address, request()),
      await callAsync(client, server.address),
    ]) {
      expect([{ ...answer.extFields }, answer.language]) //
        .to.deep.equal([{ count: '0', messageTitle: 'Welcome' }, 'JAVA']);
    }
    const typed = await client.call(server.address, Echo, { count: 3, messageTitle: 'Hi' });
    expect(typed.header).to.deep.equal({ count: 3, messageTitle: 'Hi' });
    await client.invokeOneway(server.address, request());
  });

  it('to an address that nobody listens at fail with it in the text, at once (A25, B16)', async () => {
    const address = await deadAddress();
    const client = makeClient();
    for (const call of [client.invokeOneway(address, request()), client.invokeSync(address, request())]) {
      const error = await failure(call);
      expect(error.code).to.equal('CONNECT_FAILED');
      expect(error.message).to.contain(`connect to ${address} failed`);
    }
  });

  it('run each hook once before and after, and none after when they fail (A26, A27)', async () => {
    const server = await startServer();
    const client = makeClient();
    const hooked: string[] = [];
    client.registerRpcHook({
      doBeforeRequest: () => void hooked.push('before'),
      doAfterResponse: () => void hooked.push('after'),
    });
    await client.invokeSync(server.address, request());
    await callAsync(client, server.address);
    expect(hooked.splice(0)).to.deep.equal(['before', 'after', 'before', 'after']);

    const closing = await startPeer((socket) => socket.destroy());
    let told = 0;
    await new Promise<void>((resolve) => {
      client.invokeAsync(closing, request(), 3000, (error) => {
        told++;
        expect(error?.code).to.equal('CONNECTION_CLOSED');
        resolve();
      });
    });
    expect([told, hooked]).to.deep.equal([1, ['before']]);
  });

  it('for which there is no processor get code 3; a oneway request nothing (B7, B8, W78)', async () => {
    const server = await startServer();
    const client = makeClient();
    const answer = await client.invokeSync(server.address, request(99));
    expect([answer.code, answer.remark, answer.isResponse]).to.deep.equal([3, ' request type 99 not supported', true]);
    await client.invokeOneway(server.address, request(99));
    expect((await client.invokeSync(server.address, request())).code).to.equal(0);
    expect(client.counters.lateResponses).to.equal(0);
  });

  it('whose processor throws get code 1 with its name and message; a oneway request nothing (B9)', async () => {
    const server = await startServer({
      processRequest: () => {
        throw new TypeError('boom');
      },
    });
    const client = makeClient();
    const answer = await client.invokeSync(server.address, request());
    // Upstream adds the first frame of its stack; ours tells nobody where its files lie.
    expect([answer.code, answer.remark]).to.deep.equal([1, 'TypeError: boom']);
    await client.invokeOneway(server.address, request());
    await client.invokeSync(server.address, request());
    expect(client.counters.lateResponses).to.equal(0);
  });

  it('whose processor gives nothing get nothing, and the connection stays (B10)', async () => {
    let silent = true;
    const server = await startServer({
      processRequest: () => {
        if (!silent) return RemotingCommand.response(0, 'now');
        silent = false;
        return undefined;
      },
    });
    const client = makeClient();
    const controller = new AbortController();
    const unanswered = failure(client.invokeSync(server.address, request(), 3000, { signal: controller.signal }));
    expect((await client.invokeSync(server.address, request())).remark).to.equal('now');
    expect(server.channels.size).to.equal(1);
    controller.abort();
    expect((await unanswered).code).to.equal('ABORTED');
  });

  it('whose processor rejects get code 2 (B11)', async () => {
    const server = await startServer({ ...echo, rejectRequest: () => true });
    const answer = await makeClient().invokeSync(server.address, request());
    expect(answer.code).to.equal(2);
    expect(answer.remark).to.match(/^\[REJECTREQUEST]/);
  });

  it('without an address fail with `connect to null failed` while there are no name servers (B17)', async () => {
    const client = makeClient();
    for (const call of [client.invokeSync(undefined, request()), client.invokeOneway(undefined, request())]) {
      const error = await failure(call);
      expect([error.code, error.message.startsWith('connect to null')]).to.deep.equal(['CONNECT_FAILED', true]);
    }
  });

  for (const [closeSocketIfTimeout, what] of [
    [true, 'dial anew for the next call, as with 4.9.7'],
    [false, 'keep the connection, as with 4.7.1'],
  ] as const) {
    it(`that a silent server leaves end at their timeout, in each form, and ${what} (B18, B19, W14)`, async () => {
      const { address, asked } = await startSilent();
      const clock = new ManualClock();
      const client = makeClient({ clock, closeSocketIfTimeout });
      const sockets: Socket[] = [];
      for (const call of [() => client.invokeSync(address, request(), 500), () => callAsync(client, address, 500)]) {
        const failed = failure(call());
        sockets.push(await asked());
        clock.advance(499);
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(1);
        expect((await failed).code).to.equal('TIMEOUT');
      }
      expect(sockets[0] === sockets[1]).to.equal(!closeSocketIfTimeout);
    });
  }

  it('fail at once when the server closes after reading, or answers garbage (B20, B21, W11)', async () => {
    const client = makeClient();
    const closing = await startPeer((socket) => socket.end());
    expect((await failure(client.invokeSync(closing, request(), 2500))).code).to.equal('CONNECTION_CLOSED');
    const talking = await startPeer((socket) => socket.write('garbage, no frame'));
    const error = await failure(client.invokeSync(talking, request(), 2500));
    expect(error.code).to.equal('CONNECTION_CLOSED');
  });

  it('that have timed out stay so: an answer that comes late is counted (B22)', async () => {
    const { address, asked } = await startSilent();
    const clock = new ManualClock();
    const client = makeClient({ clock, closeSocketIfTimeout: false });
    const failed = failure(callAsync(client, address, 500));
    const socket = await asked();
    clock.advance(500);
    expect((await failed).code).to.equal('TIMEOUT');
    socket.write(Buffer.concat(encodeFrame(RemotingCommand.response(0, 'late', { opaque: 0 }))));
    while (client.counters.lateResponses === 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('without an address go on to the next name server within the call when one is dead (B23)', async () => {
    const server = await startServer();
    const dead = await deadAddress();
    for (let round = 0; round < 4; round++) {
      const client = makeClient();
      client.updateNameServerAddressList([dead, server.address]);
      expect((await client.invokeSync(undefined, request())).code).to.equal(0);
    }
  });
});
