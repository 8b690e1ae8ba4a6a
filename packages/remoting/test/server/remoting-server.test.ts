import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { CommandError, type RemotingError } from '../../src/errors.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { RemotingServerOptions } from '../../src/server/server-options.js';
import { ManualClock } from '../../src/testing.js';
import { closeWaits } from '../client/close-waits.js';

const Greet = defineCommand({
  code: 9001,
  name: 'GREET',
  request: { name: t.string(), times: t.int().default(1), big: t.long().optional() },
  response: { text: t.string() },
});

describe('RemotingServer', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function makeServer(options: RemotingServerOptions = {}): Promise<RemotingServer> {
    const server = new RemotingServer(options);
    server.registerProcessor(1, {
      processRequest: (_ctx, asked) => RemotingCommand.response(0, undefined, { body: asked.body }),
    });
    await server.start();
    cleanUps.push(() => server.destroy());
    return server;
  }

  function makeClient(): RemotingClient {
    const client = new RemotingClient();
    cleanUps.push(() => client.destroy());
    return client;
  }

  /** A bare socket to the server, and all the bytes that came until it ended. */
  function raw(server: RemotingServer): { socket: Socket; received: Promise<Buffer> } {
    const socket = connect(parseSocketAddress(server.address));
    cleanUps.push(() => socket.destroy());
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    return { socket, received: new Promise((resolve) => socket.once('close', () => resolve(Buffer.concat(chunks)))) };
  }

  const frame = (code: number, opaque: number): Buffer =>
    Buffer.concat(encodeFrame(RemotingCommand.request(code, { opaque })));

  it('answers typed calls, with defaults and exact longs', async () => {
    const server = await makeServer();
    server.handle(Greet, ({ header }) => ({ header: { text: `${header.name} ${header.times} ${header.big}` } }));
    const client = makeClient();
    expect((await client.call(server.address, Greet, { name: 'Ada' })).header.text).to.equal('Ada 1 undefined');
    expect(
      (await client.call(server.address, Greet, { name: 'Ada', times: 2, big: 9223372036854775807n })).header.text,
    ).to.equal('Ada 2 9223372036854775807');
  });

  it('lets many waiting requests listen to the end of their connection, without a warning of a leak', async () => {
    const warnings: Error[] = [];
    const collect = (warning: Error): void => void warnings.push(warning);
    process.on('warning', collect);
    cleanUps.push(() => process.removeListener('warning', collect));
    const server = await makeServer();
    server.handle(Greet, ({ signal }) => {
      for (let i = 0; i < 100; i++) signal.addEventListener('abort', () => {});
      return { header: { text: 'waiting' } };
    });
    await makeClient().call(server.address, Greet, { name: 'Ada' });
    expect(warnings).to.deep.equal([]);
  });

  it('refuses a typed call without a required field, naming it', async () => {
    const server = await makeServer();
    server.handle(Greet, () => ({ header: { text: '' } }));
    const response = await makeClient().invokeSync(server.address, RemotingCommand.request(9001));
    expect(response).to.deep.include({ code: 1, remark: 'the custom field <name> is null' });
  });

  it('maps CommandError to its code at both ends', async () => {
    const server = await makeServer();
    server.handle(Greet, () => {
      throw new CommandError(17, 'no such topic');
    });
    const error = await makeClient()
      .call(server.address, Greet, { name: 'x' })
      .then(
        () => expect.fail('no error'),
        (caught: unknown) => caught,
      );
    expect(error).to.be.instanceOf(CommandError);
    expect(error).to.deep.include({
      code: 'COMMAND_FAILED',
      responseCode: 17,
      remark: 'no such topic',
      address: server.address,
    });
  });

  const badFrames: [string, Buffer][] = [
    ['a length of -1', Buffer.from('ffffffff00000000', 'hex')],
    ['a length of 2 GiB', Buffer.from('7fffffff00000000', 'hex')],
    ['a length of 0', Buffer.from('0000000000000000', 'hex')],
    ['a length of 3', Buffer.from('0000000300000000', 'hex')],
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['an unknown serialize type', Buffer.from('0000000602000002' + '7b7d', 'hex')],
    ['a header that is no JSON', Buffer.concat([Buffer.from('0000000c00000008', 'hex'), Buffer.from('nonsense')])],
    [
      'a header above the limit',
      Buffer.concat([Buffer.from('000f42440003d091', 'hex'), Buffer.alloc(1_000_000, 0x20)]),
    ],
    ['a header length beyond the frame', Buffer.from('00000006000000ff7b7d', 'hex')],
  ];
  for (const [what, bytes] of badFrames) {
    it(`closes only the connection that sends ${what}, and writes nothing`, async () => {
      const server = await makeServer();
      const client = makeClient();
      await client.invokeSync(server.address, RemotingCommand.request(1));
      const { socket, received } = raw(server);
      socket.write(bytes);
      expect((await received).length).to.equal(0);
      expect((await client.invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
    });
  }

  it('answers what came before a bad frame, then closes', async () => {
    const server = await makeServer();
    const { socket, received } = raw(server);
    socket.write(frame(1, 5));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write('nonsense, this is no frame');
    expect((await received).toString()).to.contain('"opaque":5');
  });

  it('answers requests that come a byte at a time', async () => {
    const server = await makeServer();
    const { socket } = raw(server);
    const answered = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.setNoDelay(true);
    for (const byte of frame(1, 7)) socket.write(Buffer.from([byte]));
    expect((await answered).toString()).to.contain('"opaque":7');
  });

  it('closes a connection that is idle for allIdleMillis, with idle and close events', async () => {
    const clock = new ManualClock();
    const server = await makeServer({ clock, allIdleMillis: 120_000 });
    const seen: string[] = [];
    server.on('idle', () => seen.push('idle'));
    const closed = new Promise<void>((resolve) =>
      server.on('close', () => {
        seen.push('close');
        resolve();
      }),
    );
    const connected = new Promise<void>((resolve) => server.on('connect', () => resolve()));
    const { received } = raw(server);
    await connected;
    clock.advance(119_999);
    expect(seen).to.deep.equal([]);
    clock.advance(1);
    await Promise.all([closed, received]);
    expect(seen).to.deep.equal(['idle', 'close']);
  });

  it('says in one sentence that its port is taken', async () => {
    const first = await makeServer();
    const { host, port } = parseSocketAddress(first.address);
    const error = await new RemotingServer({ host, port }).start().then(
      () => expect.fail('it listens twice'),
      (caught: RemotingError) => caught,
    );
    expect(error).to.deep.include({ code: 'BIND_FAILED', address: first.address });
    expect(error.message).to.equal(`cannot listen on ${first.address}: another process listens there already`);
  });

  it('can be closed while it starts: nothing listens afterwards', async () => {
    const server = new RemotingServer();
    const started = server.start();
    await server.close();
    await started;
    const error = await makeClient()
      .invokeSync(server.address, RemotingCommand.request(1))
      .catch((caught: RemotingError) => caught.code);
    expect(error).to.equal('CONNECT_FAILED');
  });

  it('refuses a connection whose initChannel fails, and goes on', async () => {
    let fail = true;
    const server = await makeServer({
      initChannel: () => {
        if (fail) throw new TypeError('no');
      },
    });
    expect((await raw(server).received).length).to.equal(0);
    fail = false;
    expect((await makeClient().invokeSync(server.address, RemotingCommand.request(1))).code).to.equal(0);
  });

  it('close lets a request under way end, then closes its connection (W62)', async () => {
    const server = await makeServer();
    let finish = (): void => {};
    const asked = new Promise<void>((resolve) => {
      server.registerProcessor(2, {
        processRequest: () => {
          resolve();
          return new Promise((answered) => (finish = () => answered(RemotingCommand.response(0, 'done'))));
        },
      });
    });
    const call = makeClient().invokeSync(server.address, RemotingCommand.request(2));
    await asked;
    const closed = server.close();
    finish();
    expect((await call).remark).to.equal('done');
    await closed;
    expect(server.channels.size).to.equal(0);
  });

  it('close cuts off what does not end within its grace', async () => {
    const clock = new ManualClock();
    const server = await makeServer({ clock });
    const asked = new Promise<void>((resolve) => {
      server.registerProcessor(2, {
        processRequest: () => {
          resolve();
          return new Promise(() => {});
        },
      });
    });
    const call = makeClient()
      .invokeSync(server.address, RemotingCommand.request(2))
      .catch((error: RemotingError) => error.code);
    await asked;
    const closed = server.close({ graceMillis: 2_000 });
    clock.advance(2_000);
    expect(await call).to.equal('CONNECTION_CLOSED');
    await closed;
  });

  it('destroy ends a close that waits for a request', async () => {
    const server = await makeServer({ clock: new ManualClock() });
    const asked = new Promise<void>((resolve) => {
      server.registerProcessor(2, {
        processRequest: () => {
          resolve();
          return new Promise(() => {});
        },
      });
    });
    const call = makeClient()
      .invokeSync(server.address, RemotingCommand.request(2))
      .catch((error: RemotingError) => error.code);
    await asked;
    const closed = server.close();
    await server.destroy();
    await closed;
    expect(await call).to.equal('CONNECTION_CLOSED');
  });

  it('cuts off a peer that takes nothing for stalledWriteMillis', async () => {
    const clock = new ManualClock();
    const server = await makeServer({ clock, allIdleMillis: 0, stalledWriteMillis: 1_000 });
    server.registerProcessor(2, {
      processRequest: () => RemotingCommand.response(0, undefined, { body: Buffer.alloc(15 << 20) }),
    });
    const closed = new Promise((resolve) => server.on('close', resolve));
    const connected = new Promise((resolve) => server.on('connect', resolve));
    const socket = connect(parseSocketAddress(server.address));
    cleanUps.push(() => socket.destroy());
    socket.on('error', () => {});
    await connected;
    socket.pause().write(frame(2, 1));
    const [channel] = server.channels;
    while (channel?.isWritable === true) await new Promise((resolve) => setImmediate(resolve));
    let ended = false;
    void closed.then(() => {
      ended = true;
    });
    // What the operating system still takes counts as progress; after it nothing does.
    while (!ended) await clock.advanceAsync(1_000);
    expect(server.channels.size).to.equal(0);
  });

  it('refuses a grace that cannot be', async () => {
    const server = await makeServer();
    for (const graceMillis of [Number.POSITIVE_INFINITY, Number.NaN, -1])
      expect(() => server.close({ graceMillis })).to.throw(/^graceMillis must be an integer from 0 to 2147483647/);
  });

  it('says every option that cannot be', () => {
    expect(() => new RemotingServer({ port: 70_000, maxFrameBytes: Number.NaN, allIdleMillis: 2 ** 31 })).to.throw(
      /^options of RemotingServer: port must be .* 65535, not 70000; maxFrameBytes must be .*; allIdleMillis must be /,
    );
  });

  it('answers a code of its own with header and remark by a typed handler', async () => {
    const server = await makeServer();
    server.handle(Greet, () => ({ code: 19, remark: 'nothing yet', header: { text: 'later' } }));
    const error = await makeClient()
      .call(server.address, Greet, { name: 'x' })
      .then(
        () => expect.fail('no error'),
        (caught: CommandError) => caught,
      );
    expect(error).to.deep.include({ responseCode: 19, remark: 'nothing yet' });
    expect({ ...error.response?.extFields }).to.deep.equal({ text: 'later' });
    expect(JSON.stringify(error)).to.not.contain('later');
  });

  it('answers a peer that has closed its half and reads on, and then closes its own, so that nothing is left half closed (W37)', async () => {
    const server = await makeServer();
    const { host, port } = parseSocketAddress(server.address);
    const socket = connect({ host, port, allowHalfOpen: true });
    cleanUps.push(() => socket.destroy());
    socket.end(frame(1, 7));
    expect((await once(socket, 'data'))[0]).to.have.length.above(0);
    await once(socket.resume(), 'end');
    expect([closeWaits(port), socket.readableEnded, socket.writableEnded]).to.deep.equal([0, true, true]);
    while (server.channels.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('tells a callback how a call to a client ended, within its permits', async () => {
    const server = await makeServer({ asyncPermits: 1 });
    const client = makeClient();
    client.registerProcessor(40, { processRequest: () => RemotingCommand.response(0, 'pushed') });
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const [channel] = server.channels;
    if (channel === undefined) return expect.fail('no channel');
    const tell = (): Promise<string | undefined> =>
      new Promise((resolve) =>
        server.invokeAsync(channel, RemotingCommand.request(40), 3_000, (error, response) =>
          resolve(error?.code ?? response?.remark),
        ),
      );
    const [first, second] = [tell(), tell()];
    expect([await second, await first, await tell()]).to.deep.equal(['TOO_MANY_REQUESTS', 'pushed', 'pushed']);
    return undefined;
  });

  it('calls its clients over the connections they made', async () => {
    const server = await makeServer();
    const client = makeClient();
    client.registerProcessor(40, { processRequest: () => RemotingCommand.response(0, 'from the client') });
    await client.invokeSync(server.address, RemotingCommand.request(1));
    const [channel] = server.channels;
    if (channel === undefined) return expect.fail('no channel');
    expect((await server.invokeSync(channel, RemotingCommand.request(40), 3_000)).remark).to.equal('from the client');
    return undefined;
  });
});
