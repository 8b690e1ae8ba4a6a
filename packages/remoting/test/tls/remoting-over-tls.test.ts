import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Channel } from '../../src/channel/channel.js';
import type { RemotingClientOptions } from '../../src/client/client-options.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import type { RemotingError } from '../../src/errors.js';
import type { Logger } from '../../src/logger.js';
import { ManualClock } from '../../src/manual-clock.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { RemotingServerOptions } from '../../src/server/server-options.js';
import type { TlsClientOptions, TlsServerOptions } from '../../src/tls/tls-options.js';
import { ca, issued, strangeCa, TlsDirectory, turn } from './tls-fixture.js';

const ECHO = 9001;

/** Keeps what is logged at info and above. */
class Lines implements Logger {
  readonly lines: string[] = [];
  debug(): void {}
  info(_fields: object, message: string): void {
    this.lines.push(`info ${message}`);
  }
  warn(_fields: object, message: string): void {
    this.lines.push(`warn ${message}`);
  }
  error(_fields: object, message: string): void {
    this.lines.push(`error ${message}`);
  }
}

async function echoServer(
  tls: TlsServerOptions | undefined,
  options: RemotingServerOptions = {},
): Promise<RemotingServer> {
  const server = new RemotingServer({ ...options, tls });
  server.registerProcessor(ECHO, {
    processRequest: (_ctx, request) => RemotingCommand.response(0, undefined, { body: request.body }),
  });
  await server.start();
  return server;
}

async function echo(
  client: RemotingClient,
  address: string,
  body = Buffer.from('hello'),
): Promise<Uint8Array | undefined> {
  return (await client.invokeSync(address, new RemotingCommand({ code: ECHO, body }), 5_000)).body;
}

/** How one call of a client with these options ends: its body, or its error. */
async function outcome(
  address: string,
  tls: TlsClientOptions | undefined,
  options: RemotingClientOptions = {},
): Promise<string> {
  await using client = new RemotingClient({ ...options, tls });
  try {
    return Buffer.from((await echo(client, address)) ?? '').toString();
  } catch (error) {
    const { code, message } = error as RemotingError;
    return `${code}: ${message}`;
  }
}

function rawSocket(address: string): Socket {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return connect({ port, host: '127.0.0.1' }).on('error', () => {});
}

describe('remoting over TLS', () => {
  let directory: TlsDirectory;
  let server: TlsServerOptions;
  let trusted: TlsClientOptions;
  let strange: TlsClientOptions;
  let trustCertPath: string;

  before(async () => {
    directory = await TlsDirectory.create();
    trustCertPath = await directory.write('ca.crt', ca.cert);
    server = { ...(await directory.pair('server', issued('server'))), trustCertPath };
    trusted = { ...(await directory.pair('client', issued('client'))), trustCertPath };
    strange = { ...(await directory.pair('strange', issued('strange', strangeCa))), trustCertPath };
  });

  after(() => directory[Symbol.asyncDispose]());

  describe('certificates (A32, A33, A34, A35, A36, A37, A38, A39)', () => {
    const cases: [
      title: string,
      server: () => TlsServerOptions | undefined,
      client: () => TlsClientOptions | undefined,
      outcome: RegExp,
    ][] = [
      [
        'two-way TLS with right certificates',
        () => ({ ...server, needClientAuth: 'require' }),
        () => trusted,
        /^hello$/,
      ],
      [
        'a client certificate of an unknown CA where one is required',
        () => ({ ...server, needClientAuth: 'require' }),
        () => strange,
        /^(CONNECT|SEND)_FAILED|^CONNECTION_CLOSED/,
      ],
      [
        'no client certificate where one is required',
        () => ({ ...server, needClientAuth: 'require' }),
        () => ({ trustCertPath }),
        /^(CONNECT|SEND)_FAILED|^CONNECTION_CLOSED/,
      ],
      [
        'no client certificate where any is required',
        () => ({ ...server, needClientAuth: 'require', authClient: false }),
        () => ({ trustCertPath }),
        /^(CONNECT|SEND)_FAILED|^CONNECTION_CLOSED/,
      ],
      [
        'a client certificate of an unknown CA where one is optional',
        () => ({ ...server, needClientAuth: 'optional' }),
        () => strange,
        /^(CONNECT|SEND)_FAILED|^CONNECTION_CLOSED/,
      ],
      [
        'a client certificate of an unknown CA where any will do',
        () => ({ ...server, needClientAuth: 'require', authClient: false }),
        () => strange,
        /^hello$/,
      ],
      [
        'a server certificate of an unknown CA',
        () => ({ ...server, certPath: strange.certPath, keyPath: strange.keyPath }),
        () => trusted,
        /^CONNECT_FAILED: TLS with 127.0.0.1:\d+ failed: the peer's certificate is not trusted/,
      ],
      [
        'a server certificate of an unknown CA where any will do',
        () => ({ ...server, certPath: strange.certPath, keyPath: strange.keyPath }),
        () => ({ authServer: false }),
        /^hello$/,
      ],
      [
        'a server certificate that only the platform could know',
        () => server,
        () => ({}),
        /^CONNECT_FAILED: TLS with 127.0.0.1:\d+ failed: the peer's certificate is not trusted/,
      ],
      [
        'no client certificate where none is asked for',
        () => ({ ...server, needClientAuth: 'none' }),
        () => ({ trustCertPath }),
        /^hello$/,
      ],
      [
        'no client certificate where one is optional',
        () => ({ ...server, needClientAuth: 'optional' }),
        () => ({ trustCertPath }),
        /^hello$/,
      ],
      ['plain bytes to a permissive server', () => server, () => undefined, /^hello$/],
      [
        'TLS to a disabled server',
        () => ({ mode: 'disabled' }),
        () => trusted,
        /^CONNECT_FAILED: TLS with 127.0.0.1:\d+ failed: the connection ended during the handshake/,
      ],
      ['plain bytes to a disabled server', () => ({ mode: 'disabled' }), () => undefined, /^hello$/],
      ['TLS to a server without TLS', () => undefined, () => trusted, /^CONNECT_FAILED/],
      ['TLS to an enforcing server', () => ({ ...server, mode: 'enforcing' }), () => trusted, /^hello$/],
      [
        'plain bytes to an enforcing server',
        () => ({ ...server, mode: 'enforcing' }),
        () => undefined,
        /^CONNECTION_CLOSED/,
      ],
      ['TLS in test mode', () => ({ mode: 'enforcing', testMode: true }), () => ({ testMode: true }), /^hello$/],
    ];
    for (const [title, serverTls, clientTls, expected] of cases) {
      it(title, async () => {
        await using echoing = await echoServer(serverTls());
        expect(await outcome(echoing.address, clientTls())).to.match(expected);
        // TLS 1.2 tells a client of a refused certificate within the handshake, 1.3 after it: both end the call.
        expect(await outcome(echoing.address, clientTls())).to.match(expected);
      });
    }
  });

  it('takes an encrypted key with its password, and says nothing of the password when it is wrong', async () => {
    const key = createPrivateKey(issued('x').key);
    const pair = issued('encrypted');
    const keyPassword = 'sesame-open';
    const encrypted = createPrivateKey(pair.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: keyPassword,
    });
    expect(key.type).to.equal('private');
    const certPath = await directory.write('encrypted.crt', pair.cert);
    const keyPath = await directory.write('encrypted.key', String(encrypted));
    await using echoing = await echoServer({ mode: 'enforcing', certPath, keyPath, keyPassword });
    expect(await outcome(echoing.address, trusted)).to.equal('hello');
    const wrong = new RemotingServer({ tls: { mode: 'enforcing', certPath, keyPath, keyPassword: `${keyPassword}!` } });
    const error: RemotingError = await wrong.start().then(
      () => expect.fail('started'),
      (failed: RemotingError) => failed,
    );
    expect(error.code).to.equal('INVALID_ARGUMENT');
    expect(error.message).to.contain('the private key cannot be read, or its password is wrong');
    expect(JSON.stringify(error) + error.stack).to.not.contain('sesame');
    await wrong.close();
  });

  it('gives no byte of a plain request to an enforcing server, and says so in one line', async () => {
    const logger = new Lines();
    let requests = 0;
    await using echoing = await echoServer({ ...server, mode: 'enforcing' }, { logger });
    echoing.registerRpcHook({ doBeforeRequest: () => requests++ });
    echoing.registerDefaultProcessor({
      processRequest: () => {
        requests++;
        return undefined;
      },
    });
    const socket = rawSocket(echoing.address);
    const closed = once(socket, 'close');
    socket.write(Buffer.concat(encodeFrame(new RemotingCommand({ code: ECHO, body: Buffer.alloc(100) }))));
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    await closed;
    expect([requests, received.length, echoing.counters.requestsIn]).to.deep.equal([0, 0, 0]);
    expect(logger.lines).to.have.lengthOf(1);
    expect(logger.lines[0]).to.match(
      /^warn closing the connection: TLS with 127.0.0.1:\d+ failed: it sent plain bytes/,
    );
  });

  it('says in one line that a peer began TLS where none is taken', async () => {
    const logger = new Lines();
    await using echoing = await echoServer({ mode: 'disabled' }, { logger });
    await outcome(echoing.address, trusted);
    expect(logger.lines).to.have.lengthOf(1);
    expect(logger.lines[0]).to.match(/it began TLS, and this server takes none \(tls.server.mode=disabled\)$/);
  });

  it('tells of connections as without TLS, and of a client only those whose handshake is done', async () => {
    await using echoing = await echoServer({ ...server, mode: 'enforcing' });
    const heard: string[] = [];
    for (const event of ['connect', 'close', 'exception'] as const)
      echoing.on(event, () => heard.push(`server ${event}`));
    await using client = new RemotingClient({ tls: trusted });
    for (const event of ['connect', 'close', 'exception'] as const)
      client.on(event, () => heard.push(`client ${event}`));
    client.on('connect', (channel) => heard.push(String(client.channel(echoing.address) === channel)));
    const calls = [echo(client, echoing.address), echo(client, echoing.address), echo(client, echoing.address)];
    await Promise.all(calls);
    expect(heard).to.deep.equal(['server connect', 'client connect', 'true']);
    const [channel] = echoing.channels;
    await channel?.close();
    const untrusting = new RemotingClient({ tls: {} });
    untrusting.on('connect', () => heard.push('untrusting connect'));
    untrusting.on('exception', () => heard.push('untrusting exception'));
    const failed: RemotingError = await echo(untrusting, echoing.address).then(
      () => expect.fail('answered'),
      (error: RemotingError) => error,
    );
    expect([failed.code, untrusting.counters.connectFailures]).to.deep.equal(['CONNECT_FAILED', 1]);
    await untrusting.close();
    expect(heard.filter((line) => line.startsWith('untrusting'))).to.deep.equal([]);
  });

  it('carries 16 MiB both ways with backpressure', async function () {
    this.timeout(30_000);
    const most = 16 * 1024 * 1024 - 1024;
    await using echoing = await echoServer(server, {});
    await using client = new RemotingClient({ tls: trusted });
    const body = Buffer.alloc(most, 'rocketmq');
    const answers = [];
    for (const sent of [body, Buffer.from('hello'), body]) answers.push(await echo(client, echoing.address, sent));
    expect(answers.map((answer) => answer?.length)).to.deep.equal([most, 5, most]);
    expect(Buffer.compare(answers[2] ?? Buffer.alloc(0), body) === 0).to.equal(true);
  });

  it('holds a bounded number of bytes for a peer that asks and never reads', async () => {
    await using echoing = await echoServer({ ...server, mode: 'enforcing' });
    await using client = new RemotingClient({ tls: trusted });
    const answer = Buffer.alloc(256 * 1024);
    echoing.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, undefined, { body: answer }) });
    await echo(client, echoing.address);
    const [served] = echoing.channels;
    const channel = client.channel(echoing.address);
    if (served === undefined || channel === undefined) return expect.fail('no connection');
    channel.autoRead = false;
    const calls = Array.from({ length: 100 }, () =>
      client.invokeSync(echoing.address, new RemotingCommand({ code: 1 }), 60_000),
    );
    await eventually(() => !served.isWritable && !served.autoRead);
    let most = 0;
    for (let i = 0; i < 200; i++) {
      most = Math.max(most, served.pendingBytes);
      await turn();
    }
    // One answer above the high water mark.
    expect(most).to.be.lessThan(512 * 1024);
    channel.autoRead = true;
    const answers = await Promise.all(calls);
    expect(answers.every(({ body }) => body?.length === answer.length)).to.equal(true);
  });

  it('cuts off 500 clients that never finish their handshake after 10 s, and serves others meanwhile', async function () {
    this.timeout(30_000);
    const clock = new ManualClock();
    const logger = new Lines();
    await using echoing = await echoServer(
      { ...server, mode: 'enforcing', reloadIntervalMillis: 0 },
      { clock, logger },
    );
    const errors: RemotingError[] = [];
    echoing.on('exception', (_channel, error) => errors.push(error));
    const flood = Array.from({ length: 500 }, (_, index) => {
      const socket = rawSocket(echoing.address);
      // The beginning of a hello, or nothing at all.
      if (index % 2 === 0) socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
      return socket;
    });
    const closed = flood.map((socket) => once(socket.resume(), 'close'));
    await eventually(
      () => echoing.channels.size === 500 && [...echoing.channels].filter(isShakingHands).length === 250,
    );
    expect(await outcome(echoing.address, trusted)).to.equal('hello');
    clock.advance(9_999);
    expect(errors).to.have.lengthOf(0);
    clock.advance(1);
    await Promise.all(closed);
    await eventually(() => echoing.channels.size === 0);
    expect(errors).to.have.lengthOf(500);
    expect(errors[0]?.message).to.match(
      /TLS with 127.0.0.1:\d+ failed: (no handshake|it did not begin a handshake) within 10000 ms/,
    );
    // A flood does not fill the log too.
    expect(logger.lines).to.have.lengthOf(10);
  });

  it('gives up a dial whose handshake does not come within connectTimeoutMillis', async () => {
    const silent = await import('node:net').then(({ createServer }) => createServer(() => {}));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const bound = silent.address();
    if (bound === null || typeof bound === 'string') return expect.fail('not bound');
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    const clock = new ManualClock();
    const client = new RemotingClient({ tls: trusted, connectTimeoutMillis: 500, clock });
    const call = outcomeOf(client.invokeSync(`127.0.0.1:${bound.port}`, new RemotingCommand({ code: ECHO }), 5_000));
    await eventually(() => sockets.size === 1);
    await turn();
    clock.advance(499);
    clock.advance(1);
    expect(await call).to.match(/^CONNECT_FAILED: TLS with .* failed: no handshake within \d+ ms$/);
    await client.close();
    expect(clock.pendingTimers).to.equal(0);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('ends a handshake under way when the client is destroyed', async () => {
    const { createServer } = await import('node:net');
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const bound = silent.address();
    if (bound === null || typeof bound === 'string') return expect.fail('not bound');
    const client = new RemotingClient({ tls: trusted });
    const call = outcomeOf(client.invokeSync(`127.0.0.1:${bound.port}`, new RemotingCommand({ code: ECHO }), 5_000));
    await eventually(() => sockets.size === 1);
    await client.destroy();
    expect(await call).to.match(/^CLOSED/);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('names every TLS option that cannot be', () => {
    const wrong = { mode: 'sometimes', certpath: 'x', handshakeTimeoutMillis: 0 } as unknown as TlsServerOptions;
    expect(() => new RemotingServer({ tls: wrong })).to.throw(
      /tls cannot be: .*mode must be one of disabled, permissive, enforcing.*certpath is unknown.*handshakeTimeoutMillis must be/,
    );
    expect(() => new RemotingClient({ tls: { authServer: 'yes' } as unknown as TlsClientOptions })).to.throw(
      /authServer must be a boolean/,
    );
  });

  it('serves plain connections of a permissive server without a usable certificate, and takes TLS once there is one', async () => {
    await using own = await TlsDirectory.create();
    const paths = { certPath: own.at('server.crt'), keyPath: own.at('server.key') };
    const clock = new ManualClock();
    const logger = new Lines();
    await using echoing = await echoServer(paths, { clock, logger });
    expect(logger.lines[0]).to.match(/^error the certificate and key for TLS cannot be used: .*server.crt/);
    expect(await outcome(echoing.address, undefined)).to.equal('hello');
    expect(await outcome(echoing.address, trusted)).to.match(/^CONNECT_FAILED/);
    expect(logger.lines[1]).to.contain('it began TLS, and this server has no certificate and key that it could use');
    await own.pair('server', issued('late'));
    const reloaded = new Promise((resolve) => echoing.once('tlsReload', resolve));
    clock.advance(500);
    await reloaded;
    expect(await outcome(echoing.address, trusted)).to.equal('hello');
  });
});

function isShakingHands(channel: Channel): boolean {
  return channel.pipeline.get('tls') !== undefined;
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(String, (error: RemotingError) => `${error.code}: ${error.message}`);
}

/** Turn after turn of the event loop; the test's own timeout ends it. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}
