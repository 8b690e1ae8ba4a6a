import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { CommandError, FrameTooLargeError, type RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import { ManualClock } from '../../src/testing.js';
import { rawServer, until } from './raw-server.js';

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string() },
  response: { text: t.string() },
});

/** What an error says, without what changes from run to run. */
function said(error: RemotingError, ...addresses: string[]): string {
  const texts = addresses.map((address, i) => [address, 'ABC'[i] as string] as const);
  const message = texts.reduce((text, [address, name]) => text.replaceAll(address, name), error.message);
  return `${error.name} ${error.code}${error.sent === undefined ? '' : ` sent: ${error.sent}`}${error.phase === undefined ? '' : ` in ${error.phase}`} | ${message.replace(/channelId=\d+/, 'channelId=N')}`;
}

describe('What failed calls say', () => {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const failure = (promise: Promise<unknown>): Promise<RemotingError> =>
    promise.then(
      () => expect.fail('the call succeeded'),
      (error: RemotingError) => error,
    );

  function makeClient(options: ConstructorParameters<typeof RemotingClient>[0] = {}): {
    client: RemotingClient;
    clock: ManualClock;
  } {
    const clock = new ManualClock();
    const client = new RemotingClient({ clock, reconnectJitter: 0, ...options });
    cleanUps.push(() => client.destroy());
    return { client, clock };
  }

  async function serve(): Promise<RemotingServer> {
    const server = new RemotingServer();
    server.registerProcessor(1, { processRequest: () => RemotingCommand.response(1500, 'please go away') });
    server.registerProcessor(2, { processRequest: () => RemotingCommand.response(0) });
    server.registerProcessor(17, {
      processRequest: () => {
        throw new CommandError(17, 'No topic route info');
      },
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  it('is this (W2, W74)', async () => {
    const raw = await rawServer((socket) => socket.resume());
    cleanUps.push(() => raw.close());
    const a = raw.address;
    const dead = await rawServer(() => {});
    await dead.close();
    const server = await serve();
    const all: string[] = [];
    const request = (code = 105) => RemotingCommand.request(code);
    const header = { name: 'Ada' };

    // The dial.
    const { client, clock } = makeClient({ asyncPermits: 1, maxFrameBytes: 1_000, closeSocketIfTimeout: false });
    for (let i = 0; i < 3; i++) all.push(said(await failure(client.call(dead.address, Greet, header)), dead.address));
    all.push(said(await failure(client.invokeSync(undefined, request()))));
    client.updateNameServerAddressList([dead.address]);
    all.push(said(await failure(client.invokeSync(undefined, request())), dead.address));
    all.push(said(await failure(client.invokeSync('nonsense', request()))));
    const { client: hanging, clock: hangingClock } = makeClient({ lookup: () => {}, connectTimeoutMillis: 2_000 });
    const dialled = failure(hanging.call('a.invalid:1', Greet, header));
    const lateForDial = failure(hanging.call('a.invalid:1', Greet, header, { timeoutMillis: 500 }));
    hangingClock.advance(500);
    all.push(said(await lateForDial));
    hangingClock.advance(1_500);
    all.push(said(await dialled));

    // The wait for an answer.
    const timedOut = failure(client.call(a, Greet, header));
    await until(() =>
      client.describe().channels.some(({ pendingCalls, pendingBytes }) => pendingCalls === 1 && pendingBytes === 0),
    );
    clock.advance(3_000);
    all.push(said(await timedOut, a));
    const controller = new AbortController();
    const aborted = failure(client.call(a, Greet, header, { signal: controller.signal }));
    controller.abort();
    all.push(said(await aborted, a));
    all.push(said(await failure(client.call(a, Greet, header, { signal: AbortSignal.abort() })), a));
    const lost = failure(client.call(a, Greet, header));
    await until(() =>
      client.describe().channels.some(({ pendingCalls, pendingBytes }) => pendingCalls === 1 && pendingBytes === 0),
    );
    for (const socket of raw.sockets) socket.destroy();
    all.push(said(await lost, a));

    // What is not sent at all.
    all.push(said(await failure(client.invokeSync(a, request(), 0)), a));
    all.push(said(await failure(client.invokeSync(a, RemotingCommand.request(1, { body: Buffer.alloc(1_000) }))), a));
    all.push(said(await failure(client.call(a, Greet, { name: 1 } as never)), a));
    const refused = new Promise<RemotingError>((resolve) => {
      client.invokeAsync(a, request(), 1_000, () => {});
      client.invokeAsync(a, request(), 1_000, (error) => resolve(error as RemotingError));
    });
    all.push(said(await refused, a));

    // What the server says.
    const { client: other } = makeClient();
    const b = server.address;
    all.push(said(await failure(other.invokeSync(b, request(1))), b));
    all.push(said(await failure(other.call(b, defineCommand({ code: 17, name: 'GET_ROUTE' }), {})), b));
    all.push(said(await failure(other.call(b, Greet, header)), b));
    all.push(said(await failure(other.call(b, { ...Greet, code: 2 }, header)), b));
    other.registerRpcHook({
      doBeforeRequest: () => {
        throw new TypeError('no key');
      },
    });
    all.push(said(await failure(other.invokeSync(b, request(2))), b));

    // The end.
    const cut = failure(client.call(a, Greet, header));
    await client.destroy();
    all.push(said(await cut, a));
    all.push(said(await failure(client.call(a, Greet, header)), a));
    all.push(said(new FrameTooLargeError(2_000, 1_000, { address: 'A' })));

    expect(all).to.deep.equal(messages);
  });

  it('tells apart what the peer cannot have seen from what it may have: before the first byte, amid the frame, after the last (W12)', async () => {
    const raw = await rawServer((socket) => socket.pause());
    cleanUps.push(() => raw.close());
    const { client } = makeClient({ maxFrameBytes: 64 * 1024 * 1024 });
    const unsent = failure(client.invokeSync(raw.address, RemotingCommand.request(1)));
    const channel = new Promise<void>((resolve) => {
      client.once('connect', (connected) => {
        connected.destroy();
        resolve();
      });
    });
    await channel;
    expect((await unsent).sent).to.equal('no');
    const large = RemotingCommand.request(1, { body: Buffer.alloc(32 * 1024 * 1024) });
    const half = failure(client.invokeSync(raw.address, large));
    await until(() => client.describe().channels.some(({ pendingBytes }) => pendingBytes > 0));
    await until(() => raw.sockets.size > 0);
    for (const socket of raw.sockets) socket.resetAndDestroy();
    expect([(await half).sent, (await half).phase]).to.deep.equal(['maybe', 'write']);
    const whole = failure(client.invokeSync(raw.address, RemotingCommand.request(1)));
    await until(() =>
      client.describe().channels.some(({ pendingCalls, pendingBytes }) => pendingCalls === 1 && pendingBytes === 0),
    );
    for (const socket of raw.sockets) socket.resetAndDestroy();
    expect([(await whole).sent, (await whole).phase]).to.deep.equal(['maybe', 'wait']);
  });

  it('comes at once to a thousand calls over ten connections whose servers die, and leaves nothing behind (W1)', async () => {
    const servers = await Promise.all(Array.from({ length: 10 }, () => rawServer((socket) => socket.resume())));
    const { client, clock } = makeClient();
    const calls = servers.flatMap(({ address }) =>
      Array.from({ length: 100 }, () => failure(client.invokeSync(address, RemotingCommand.request(1), 60_000))),
    );
    await until(() => client.describe().channels.filter(({ pendingCalls }) => pendingCalls === 100).length === 10);
    await Promise.all(servers.map((server) => server.close()));
    const codes = new Set((await Promise.all(calls)).map(({ code }) => code));
    expect([[...codes], clock.monotonic()]).to.deep.equal([['CONNECTION_CLOSED'], 0]);
    await client.close();
    expect([client.describe().pendingCalls, clock.pendingTimers]).to.deep.equal([{}, 0]);
  });

  it('does not close a connection for answers that say SYSTEM_BUSY, however many (W22)', async () => {
    const server = await serve();
    server.registerProcessor(3, {
      processRequest: () => RemotingCommand.response(2, 'busy'),
      rejectRequest: () => true,
    });
    const { client } = makeClient();
    const codes = await Promise.all(
      Array.from({ length: 50 }, () => client.invokeSync(server.address, RemotingCommand.request(3))),
    );
    expect(new Set(codes.map(({ code }) => code))).to.deep.equal(new Set([2]));
    expect(client.channel(server.address)?.isActive).to.equal(true);
    expect(server.counters.connects).to.equal(1);
  });

  it('is of one request object that was sent to three servers: three answers (W94)', async () => {
    const servers = await Promise.all([serve(), serve(), serve()]);
    const { client } = makeClient();
    const request = RemotingCommand.request(2);
    const answers = await Promise.all(servers.map(({ address }) => client.invokeSync(address, request)));
    expect(answers.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    expect(request.opaque).to.equal(0);
  });
});

const messages = [
  'ConnectError CONNECT_FAILED sent: no in dial | connect to A failed: connect ECONNREFUSED A',
  'ConnectError CONNECT_FAILED sent: no in dial | connect to A failed: connect ECONNREFUSED A',
  'ConnectError CONNECT_FAILED sent: no in dial | connect to A failed: connect ECONNREFUSED A; 2 dials failed in a row, the next is made in 1000 ms at the earliest',
  'ConnectError CONNECT_FAILED sent: no in dial | connect to null failed: no name server address is set',
  'ConnectError CONNECT_FAILED sent: no in dial | connect to [A] failed, the last because: connect to A failed: connect ECONNREFUSED A; 2 dials failed in a row, the next is made in 1000 ms at the earliest',
  'RemotingError INVALID_ARGUMENT sent: no in dial | "nonsense" is no host:port: the port, 0 to 65535, must follow the last colon',
  'TimeoutError TIMEOUT sent: no in dial | GREET to a.invalid:1 timed out after 500 ms (dial 500, queue 0, not sent): connect to a.invalid:1 failed',
  'ConnectError CONNECT_FAILED sent: no in dial | connect to a.invalid:1 failed: no connection within 2000 ms',
  'TimeoutError TIMEOUT sent: maybe in wait | GREET to A timed out after 3000 ms (dial 0, queue 0, sent, no answer): wait response on the channel <A> timeout, 3000(ms)',
  'RemotingError ABORTED sent: maybe in write | GREET to A was aborted by its signal (dial 0, queue 0, not all sent)',
  'RemotingError ABORTED sent: no in dial | GREET to A was aborted by its signal (dial 0, queue 0, not sent)',
  'ClosedError CONNECTION_CLOSED sent: maybe in wait | GREET failed (dial 0, queue 0, sent, no answer): the connection to A closed before the answer came',
  'RemotingError INVALID_ARGUMENT sent: no in dial | timeoutMillis must be above 0 and at most 2147483647, not 0',
  'SendError SEND_FAILED sent: no in write | send request to <A> failed: a frame of 1101 bytes with A exceeds the limit of 1000 bytes; raise maxFrameBytes at both ends if such frames are meant',
  'RemotingError ENCODE_FAILED sent: no | the header field name is no string: 1',
  'TooManyRequestsError TOO_MANY_REQUESTS sent: no in dial | invokeAsyncImpl invoke too fast: 1 calls are in flight already; slow down, or raise asyncPermits',
  'SendError SEND_FAILED sent: no in wait | send request to <A> failed: Receive GO_AWAY twice in request from channelId=N',
  'CommandError COMMAND_FAILED | CODE: 17  DESC: No topic route info from A',
  'CommandError COMMAND_FAILED | CODE: 3  DESC:  request type 9001 not supported from A',
  'DecodeError DECODE_FAILED | the answer to GREET does not decode: the custom field <text> is null',
  'RemotingError HANDLER_FAILED sent: no in dial | an RPC hook refused the request: no key',
  'ClosedError CLOSED sent: maybe in write | GREET was cut off: the client is closed',
  'ClosedError CLOSED sent: no | the client is closed',
  'FrameTooLargeError FRAME_TOO_LARGE | a frame of 2000 bytes with A exceeds the limit of 1000 bytes; raise maxFrameBytes at both ends if such frames are meant',
];
