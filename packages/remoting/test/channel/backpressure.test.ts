import { expect } from 'chai';
import fc from 'fast-check';
import type { Channel } from '../../src/channel/channel.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { SocketChannel } from '../../src/channel/socket-channel.js';
import { WriteBufferWaterMark } from '../../src/channel/write-buffer-water-mark.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { FrameEncoder } from '../../src/handler/frame-encoder.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { createMemorySockets, createPair, ManualClock, startTestServer } from '../../src/testing.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

function request(code: number, opaque: number, body?: Buffer): Buffer {
  return Buffer.concat(encodeFrame(RemotingCommand.request(code, { opaque, body })));
}

describe('the bytes that wait in a channel', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 12 });

  it('are counted exactly, and isWritable is right, at once after each write (W51, W52)', () => {
    fc.assert(
      fc.property(sizes, (bodies) => {
        const [near, far] = createMemorySockets();
        const channel = new SocketChannel(near);
        channel.pipeline.addLast('encoder', new FrameEncoder());
        channel.start();
        let expected = 0;
        for (const [opaque, size] of bodies.entries()) {
          const body = Buffer.alloc(size);
          channel.write(RemotingCommand.request(1, { opaque, body }));
          expected += request(1, opaque, body).length;
          expect(channel.pendingBytes).to.equal(expected);
          expect(channel.isWritable).to.equal(expected <= 64 * 1024);
        }
        channel.destroy();
        far.destroy();
      }),
      { numRuns: 100 },
    );
  });

  it('change writability at the marks, and tell each edge once', () => {
    const step = fc.oneof(
      fc.record({ write: fc.integer({ min: 0, max: 15 }) }),
      fc.record({ take: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const edges: boolean[] = [];
        const channel = new EmbeddedChannel(
          { edges: { channelWritabilityChanged: (ctx) => void edges.push(ctx.channel.isWritable) } },
          { writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }) },
        );
        channel.holdOutbound();
        const waiting: number[] = [];
        const model: boolean[] = [];
        let writable = true;
        const look = (): void => {
          const sum = waiting.reduce((left, right) => left + right, 0);
          const now = sum > 20 ? false : sum < 10 ? true : writable;
          if (now !== writable) model.push(now);
          writable = now;
          expect(channel.pendingBytes).to.equal(sum);
          expect(channel.isWritable).to.equal(writable);
        };
        for (const action of steps) {
          if ('write' in action) {
            channel.write(Buffer.alloc(action.write));
            waiting.push(action.write);
            look();
          } else {
            channel.flush();
            for (let left = Math.min(action.take, waiting.length); left > 0; left--) {
              channel.flushOutbound(1);
              waiting.shift();
              look();
            }
          }
        }
        expect(edges).to.deep.equal(model);
      }),
      { numRuns: 300 },
    );
  });
});

describe('answers of one turn', () => {
  it('leave in one call, though 64 requests came in one chunk and some are answered by promises (W86)', async () => {
    // A clock that stands still: the decoder takes no turn off, however slow the machine.
    await using pair = createPair({ clock: new ManualClock() });
    pair.server.registerProcessor(1, {
      processRequest(_ctx, { opaque }) {
        const answer = RemotingCommand.response(0);
        return opaque % 3 === 0 ? Promise.resolve(answer) : answer;
      },
    });
    const socket = pair.connect();
    const chunks: Buffer[] = [];
    const splitter = new FrameSplitter();
    let frames = 0;
    // A gathered write arrives as one chunk in memory.
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      splitter.push(chunk);
      while (splitter.next() !== undefined) frames++;
    });
    socket.write(Buffer.concat(Array.from({ length: 64 }, (_, opaque) => request(1, opaque))));
    await until(() => frames === 64);
    expect(chunks).to.have.length(1);
  });
});

describe('a slow reader', () => {
  const bodyBytes = 64 << 20;

  async function reading(readEachStep: boolean): Promise<{ received: number; channel: Channel; seconds: number }> {
    const clock = new ManualClock();
    await using pair = createPair({
      clock,
      server: { allIdleMillis: 5_000, stalledWriteMillis: 30_000, maxFrameBytes: bodyBytes + 1_024 },
    });
    const body = Buffer.alloc(bodyBytes, 'x');
    pair.server.registerProcessor(1, { processRequest: () => RemotingCommand.response(0, undefined, { body }) });
    const socket = pair.connect();
    socket.write(request(1, 1));
    await until(() => [...pair.server.channels][0]?.isWritable === false);
    const [channel] = pair.server.channels;
    if (channel === undefined) throw new Error('no connection');
    let received = 0;
    // 200 KB each second.
    for (let step = 0; received < bodyBytes && channel.isActive; step++) {
      if (readEachStep) for (let part = socket.read(); part !== null; part = socket.read()) received += part.length;
      clock.advance(320);
      await turn();
      if (step > 5_000) throw new Error('it takes too long');
    }
    return { received, channel, seconds: clock.monotonic() / 1_000 };
  }

  it('gets an answer of 64 MiB at 200 KB a second, however short the idle limit (W58)', async () => {
    const { received, seconds } = await reading(true);
    expect(received).to.be.at.least(bodyBytes);
    expect(seconds).to.be.within(100, 1_000);
  });

  it('is cut off when it takes nothing (W58)', async () => {
    const { received, channel, seconds } = await reading(false);
    expect([received, channel.isActive]).to.deep.equal([0, false]);
    expect(seconds).to.be.below(60);
  });
});

describe('many connections at once', () => {
  it('get no byte of each other, in 50 x 1,000 frames of random lengths and pieces, and bodies kept stay as they were (W47)', async () => {
    await using pair = await startTestServer();
    const kept: { readonly body: Buffer; readonly filling: number }[] = [];
    pair.server.registerProcessor(1, {
      processRequest(_ctx, { body, opaque }) {
        if (body !== undefined && opaque % 50 === 0) kept.push({ body: body as Buffer, filling: body[0] ?? 0 });
        return RemotingCommand.response(0, undefined, { body });
      },
    });
    const random = new SeededRandom(4);
    const check = async (filling: number): Promise<number> => {
      const sizes = Array.from({ length: 1_000 }, () => random.integer(1, 300));
      const bytes = Buffer.concat(sizes.map((size, opaque) => request(1, opaque, Buffer.alloc(size, filling))));
      const socket = pair.connect();
      const splitter = new FrameSplitter();
      let answers = 0;
      let foreign = 0;
      socket.on('data', (chunk: Buffer) => {
        splitter.push(chunk);
        for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) {
          const body = frame.subarray(4 + frame.readUIntBE(1, 3));
          if (!body.every((byte) => byte === filling)) foreign++;
          answers++;
        }
      });
      for (let at = 0; at < bytes.length; ) {
        const length = random.integer(1, 30_000);
        socket.write(bytes.subarray(at, at + length));
        at += length;
        await turn();
      }
      await until(() => answers === sizes.length || socket.destroyed);
      socket.destroy();
      expect(answers).to.equal(sizes.length);
      return foreign;
    };
    const foreign = await Promise.all(Array.from({ length: 50 }, (_, n) => check(n + 1)));
    expect(foreign).to.deep.equal(new Array(50).fill(0));
    expect(kept).to.have.length(50 * 20);
    for (const { body, filling } of kept) expect(body.every((byte) => byte === filling)).to.equal(true);
  });
});
