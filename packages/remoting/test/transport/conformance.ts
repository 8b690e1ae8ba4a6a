import { expect } from 'chai';
import type { ChannelSocket } from '../../src/channel/socket-channel.js';
import type { RemotingClientOptions } from '../../src/client/client-options.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { bytes, defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { CommandError, RemotingError } from '../../src/errors.js';
import { ManualClock } from '../../src/manual-clock.js';
import type { RemotingServerOptions } from '../../src/server/server-options.js';
import { expectNoLeaks, type TestPair } from '../../src/testing.js';

/** Options that every transport can be started with. */
export interface TransportOptions {
  readonly server?: RemotingServerOptions;
  readonly client?: RemotingClientOptions;
}

export type StartTransport = (options: TransportOptions) => Promise<TestPair>;

const Echo = defineCommand({
  code: 1001,
  name: 'ECHO',
  request: { text: t.string(), times: t.int().default(1) },
  response: { text: t.string() },
  requestBody: bytes(),
  responseBody: bytes(),
});

const silence = 1002;
const big = 1003;

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return RemotingError.is(error) ? error.code : String(error);
  }
}

function frame(code: number, opaque: number, body?: Buffer): Buffer {
  return Buffer.concat(encodeFrame(RemotingCommand.request(code, { opaque, body })));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves when `condition` holds, looked at once a turn. The test's own timeout is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** The frames that come, without their length bytes, and whether the other side ended. */
function reading(socket: ChannelSocket): { frames: Buffer[]; ended: boolean } {
  const splitter = new FrameSplitter(64 * 1024 * 1024);
  const state = { frames: [] as Buffer[], ended: false };
  socket.on('data', (chunk: Buffer) => {
    splitter.push(chunk);
    for (let next = splitter.next(); next !== undefined; next = splitter.next()) state.frames.push(next);
  });
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      state.ended = true;
    });
  }
  return state;
}

/** What every transport must do alike, so that a test over one of them tells about the others. */
export function itBehavesAsATransport(start: StartTransport): void {
  const pairs: TestPair[] = [];
  afterEach(async () => {
    for (const pair of pairs.splice(0)) await pair.destroy();
  });

  async function open(options: TransportOptions = {}): Promise<TestPair> {
    const pair = await start(options);
    pairs.push(pair);
    pair.server.handle(Echo, ({ header, body }) => ({ header: { text: header.text.repeat(header.times) }, body }));
    pair.server.registerProcessor(silence, { processRequest: () => undefined });
    pair.server.registerProcessor(big, {
      processRequest: () => RemotingCommand.response(0, undefined, { body: Buffer.alloc(256 * 1024, 7) }),
    });
    return pair;
  }

  it('answers typed and plain calls in both serializations', async () => {
    const { client, address } = await open();
    const reply = await client.call(address, Echo, { text: 'ab', times: 2 }, { body: Buffer.from('body') });
    expect([reply.header.text, String(reply.body)]).to.deep.equal(['abab', 'body']);
    const request = RemotingCommand.request(Echo.code, {
      serializeType: SerializeType.ROCKETMQ,
      extFields: { text: 'x' },
    });
    const answer = await client.invokeSync(address, request, 3_000);
    expect({ ...answer.extFields, type: answer.serializeType }).to.deep.equal({
      text: 'x',
      type: SerializeType.ROCKETMQ,
    });
  });

  it('delivers a oneway request, and answers nothing to it', async () => {
    const { server, client, address } = await open();
    const seen: number[] = [];
    server.registerProcessor(5, { processRequest: (_ctx, request) => void seen.push(request.opaque) });
    await client.invokeOneway(address, RemotingCommand.request(5), 3_000);
    await until(() => seen.length === 1);
    expect(seen).to.have.length(1);
  });

  it('carries a refusal, and the absence of a processor, to the caller', async () => {
    const { server, client, address } = await open();
    server.registerProcessor(6, {
      processRequest: () => {
        throw new CommandError(17, 'no such topic');
      },
    });
    const refused = await client.invokeSync(address, RemotingCommand.request(6), 3_000);
    expect([refused.code, refused.remark]).to.deep.equal([17, 'no such topic']);
    expect((await client.invokeSync(address, RemotingCommand.request(7), 3_000)).code).to.equal(3);
  });

  it('keeps the order of calls that nobody awaits one by one (W50)', async () => {
    const { server, client, address } = await open();
    const seen: number[] = [];
    server.registerProcessor(8, {
      processRequest(_ctx, request) {
        seen.push(Number(request.extFields?.['n']));
        return RemotingCommand.response(0);
      },
    });
    const count = 10_000;
    const calls = Array.from({ length: count }, (_, n) =>
      client.invokeSync(address, RemotingCommand.request(8, { extFields: { n: String(n) } }), 8_000),
    );
    await Promise.all(calls);
    expect(seen).to.deep.equal(Array.from({ length: count }, (_, n) => n));
  });

  it('makes one connection for many first calls (W33)', async () => {
    const { server, client, address } = await open();
    await Promise.all(
      Array.from({ length: 200 }, () => client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) })),
    );
    expect(server.channels.size).to.equal(1);
  });

  it('carries bodies of 4 MiB whole, both ways', async () => {
    const { client, address } = await open();
    const body = Buffer.alloc(4 << 20, 'abcdefg');
    const reply = await client.call(address, Echo, { text: 'a' }, { body });
    expect(reply.body !== undefined && body.equals(reply.body)).to.equal(true);
  });

  it('lets the server call its client over the connection that the client made', async () => {
    const { server, client, address } = await open();
    client.handle(Echo, ({ header, body }) => ({ header: { text: `client ${header.text}` }, body }));
    await client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) });
    const [channel] = server.channels;
    if (channel === undefined) throw new Error('no connection');
    const reply = await server.call(channel, Echo, { text: 'b' }, { body: Buffer.from('c') });
    expect([reply.header.text, String(reply.body)]).to.deep.equal(['client b', 'c']);
  });

  it('answers a request that comes byte by byte, from a peer that ends its side behind it', async () => {
    const { connect } = await open();
    const socket = connect();
    const received = reading(socket);
    for (const byte of frame(Echo.code, 1)) {
      socket.write(Buffer.from([byte]));
      await turn();
    }
    socket.end();
    await until(() => received.ended);
    expect(received.frames).to.have.length(1);
  });

  it('closes the connection of a bad frame, and no other', async () => {
    const { server, client, address, connect } = await open();
    await client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) });
    const socket = connect();
    const received = reading(socket);
    socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
    await until(() => received.ended);
    expect(received.frames).to.deep.equal([]);
    expect((await client.call(address, Echo, { text: 'b' }, { body: Buffer.alloc(0) })).header.text).to.equal('b');
    socket.destroy();
    await until(() => server.channels.size === 1);
  });

  it('ends a call at its timeout by the clock it was given', async () => {
    const clock = new ManualClock();
    const { client, address } = await open({ client: { clock } });
    await client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) });
    const call = codeOf(client.invokeSync(address, RemotingCommand.request(silence), 500));
    clock.advance(500);
    expect(await call).to.equal('TIMEOUT');
  });

  it('ends a call by its signal', async () => {
    const { client, address } = await open();
    const abort = new AbortController();
    const call = codeOf(client.invokeSync(address, RemotingCommand.request(silence), 3_000, { signal: abort.signal }));
    abort.abort();
    expect(await call).to.equal('ABORTED');
  });

  it('ends the calls under way when the server goes', async () => {
    const { server, client, address } = await open();
    const calls = Array.from({ length: 20 }, () =>
      codeOf(client.invokeSync(address, RemotingCommand.request(silence), 60_000)),
    );
    await until(() => server.channels.size === 1);
    await server.destroy();
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(['CONNECTION_CLOSED']));
  });

  it('lets a request under way end before the server is closed', async () => {
    const { server, client, address } = await open();
    let answer: (command: RemotingCommand) => void = () => {};
    const asked = new Promise<void>((resolve) => {
      server.registerProcessor(9, {
        processRequest: () => {
          resolve();
          return new Promise<RemotingCommand>((done) => {
            answer = done;
          });
        },
      });
    });
    const call = client.invokeSync(address, RemotingCommand.request(9), 5_000);
    await asked;
    const closed = server.close();
    answer(RemotingCommand.response(0, 'done'));
    expect((await call).remark).to.equal('done');
    await closed;
    expect(server.channels.size).to.equal(0);
  });

  it('leaves nothing behind, neither by a graceful close nor by a rude one', async () => {
    await expectNoLeaks(async () => {
      await using pair = await open();
      const { server, client, address } = pair;
      await client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) });
      await client.close();
      await server.close();
    });
    await expectNoLeaks(async () => {
      await using pair = await open();
      const { client, address } = pair;
      await client.call(address, Echo, { text: 'a' }, { body: Buffer.alloc(0) });
      void client.invokeSync(address, RemotingCommand.request(silence), 60_000);
    });
  });

  it('reads no more from a peer that does not read, and answers all once it does', async () => {
    const { server, connect } = await open();
    const count = 200;
    const socket = connect();
    socket.pause();
    socket.write(Buffer.concat(Array.from({ length: count }, (_, opaque) => frame(big, opaque))));
    await until(() => [...server.channels][0]?.isWritable === false);
    let before = -1;
    for (const [channel] = [...server.channels]; channel !== undefined && channel.bytesWritten !== before; ) {
      before = channel.bytesWritten;
      for (let i = 0; i < 20; i++) await turn();
      expect(channel.pendingBytes).to.be.at.most(64 * 1024 + 257 * 1024);
    }
    const received = reading(socket);
    socket.resume();
    await until(() => received.frames.length === count);
  });
}
