import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { parseSocketAddress } from '../../src/channel/socket-address.js';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { RemotingServerOptions } from '../../src/server/server-options.js';

const MAX_LENGTH = 16_777_212;

/** A peer that knows bytes alone. */
class Peer {
  readonly socket: Socket;
  /** The answers so far. */
  readonly answers: RemotingCommand[] = [];
  readonly closed: Promise<void>;
  #changed: () => void = () => {};

  constructor(address: string) {
    this.socket = connect(parseSocketAddress(address)).setNoDelay(true);
    const splitter = new FrameSplitter();
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      splitter.push(chunk);
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next())
        this.answers.push(decodeFrame(frame));
      this.#changed();
    });
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  async answered(count: number): Promise<RemotingCommand[]> {
    while (this.answers.length < count)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    return this.answers;
  }
}

// Reference: remoting 9.2.
describe('RemotingServer, by the rows of the reference', () => {
  const cleanUps: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function start(
    options: RemotingServerOptions = {},
  ): Promise<{ peer: Peer; events: string[]; ended: Promise<void> }> {
    const server = new RemotingServer(options);
    cleanUps.push(() => server.destroy());
    const events: string[] = [];
    for (const event of ['connect', 'idle', 'exception', 'close'] as const) server.on(event, () => events.push(event));
    const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
    server.registerProcessor(1, {
      processRequest: (_ctx, { body }) => RemotingCommand.response(0, `${body?.length ?? 0}`),
    });
    await server.start();
    const peer = new Peer(server.address);
    cleanUps.push(() => peer.socket.destroy());
    return { peer, events, ended };
  }

  const frame = (opaque: number, init: ConstructorParameters<typeof RemotingCommand>[0] = { code: 1 }): Buffer =>
    Buffer.concat(encodeFrame(new RemotingCommand({ ...init, opaque })));

  const hex = (text: string): Buffer => Buffer.from(text, 'hex');

  it('serves a frame of length 16777212 and closes for one of 16777213, unanswered (B1)', async () => {
    const { peer } = await start();
    const empty = frame(3).length - 4;
    peer.socket.write(frame(3, { code: 1, body: Buffer.alloc(MAX_LENGTH - empty) }));
    expect((await peer.answered(1)).map(({ opaque, remark }) => [opaque, remark])) //
      .to.deep.equal([[3, String(MAX_LENGTH - empty)]]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(MAX_LENGTH + 1);
    peer.socket.write(length);
    await peer.closed;
    expect(peer.answers).to.have.length(1);
  });

  // Upstream's listener hears of the close alone; ours is told the reason by `exception` before it.
  for (const [what, bytes] of [
    ['length -1', hex('ffffffff')],
    ['length 0', hex('00000000')],
    ['length 3', hex('00000003000000')],
    ['length 2^31-1', hex('7fffffff')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ] as const) {
    it(`closes for ${what}, unanswered (B2)`, async () => {
      const { peer, events, ended } = await start();
      peer.socket.write(bytes);
      await Promise.all([peer.closed, ended]);
      expect([peer.answers, events]).to.deep.equal([[], ['connect', 'exception', 'close']]);
    });
  }

  it('answers a frame before garbage, then closes (B3)', async () => {
    const { peer } = await start();
    peer.socket.write(frame(5));
    await peer.answered(1);
    peer.socket.write('garbage, no frame');
    await peer.closed;
    expect(peer.answers.map(({ opaque }) => opaque)).to.deep.equal([5]);
  });

  for (const [what, bytes] of [
    ['serialize type 2', hex('0000000602000002' + '7b7d')],
    ['a JSON header that is none', Buffer.concat([hex('0000000c00000008'), Buffer.from('nonsense')])],
    ['a header longer than its frame', hex('00000006000000ff7b7d')],
  ] as const) {
    it(`closes for ${what} (B4)`, async () => {
      const { peer } = await start();
      peer.socket.write(bytes);
      await peer.closed;
      expect(peer.answers).to.deep.equal([]);
    });
  }

  it('answers a frame that comes a byte at a time (B5)', async () => {
    const { peer } = await start();
    for (const byte of frame(7)) {
      await new Promise((resolve) => peer.socket.write(Buffer.of(byte), resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await peer.answered(1)).map(({ opaque }) => opaque)).to.deep.equal([7]);
  });

  it('answers two frames of one segment (B6)', async () => {
    const { peer } = await start();
    peer.socket.write(Buffer.concat([frame(1), frame(2)]));
    expect((await peer.answered(2)).map(({ opaque }) => opaque)).to.have.members([1, 2]);
  });

  it('ignores an answer that nobody waits for, and answers the request behind it (B13)', async () => {
    const { peer } = await start();
    peer.socket.write(frame(99, { code: 0, flag: 1 }));
    peer.socket.write(frame(4));
    expect((await peer.answered(1)).map(({ opaque }) => opaque)).to.deep.equal([4]);
  });

  it('answers a binary request in binary as 4.9.7, or in JSON as 4.7.1 and 5.3.3 (B14)', async () => {
    const binary = { code: 1, serializeType: SerializeType.ROCKETMQ };
    const { peer } = await start();
    peer.socket.write(frame(6, binary));
    expect((await peer.answered(1)).map(({ serializeType }) => serializeType)).to.deep.equal([SerializeType.ROCKETMQ]);
    const { peer: other } = await start({ responseSerializeType: SerializeType.JSON });
    other.socket.write(frame(6, binary));
    expect((await other.answered(1)).map(({ serializeType }) => serializeType)).to.deep.equal([SerializeType.JSON]);
  });
});
