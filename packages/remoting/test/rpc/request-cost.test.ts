import { expect } from 'chai';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';
import { FrameEncoder } from '../../src/handler/frame-encoder.js';
import type { EmbeddedChannel, ManualClock } from '../../src/testing.js';
import { echo, setUp } from './remoting-core-fixture.js';

const REQUESTS = 32;
const BODY_BYTES = 1024;

/** What is counted while requests are answered: a cost that comes back is seen here, and not in a timed test. */
interface Costs {
  /** Texts made of bytes. */
  texts: number;
  /** Texts read as JSON. */
  parses: number;
  /** Buffers made of parts of others with all checks, or joined. */
  slices: number;
  copies: number;
  copiedBytes: number;
  jobs: number;
}

function countCosts(run: () => void): Costs {
  const costs: Costs = { texts: 0, parses: 0, slices: 0, copies: 0, copiedBytes: 0, jobs: 0 };
  const undo: (() => void)[] = [];
  const watch = <Name extends string>(
    owner: Record<Name, (...args: never[]) => unknown>,
    name: Name,
    seen: (args: unknown[]) => void,
  ): void => {
    const original = owner[name];
    Object.assign(owner, {
      [name](this: unknown, ...args: never[]) {
        seen(args);
        return original.apply(this, args);
      },
    });
    undo.push(() => Object.assign(owner, { [name]: original }));
  };
  watch(Buffer.prototype, 'toString', () => costs.texts++);
  watch(JSON, 'parse', () => costs.parses++);
  watch(Buffer.prototype, 'subarray', () => costs.slices++);
  watch(Buffer, 'from', () => costs.slices++);
  watch(Buffer, 'concat', () => costs.slices++);
  watch(globalThis, 'queueMicrotask', () => costs.jobs++);
  watch(Uint8Array.prototype, 'set', ([source]) => {
    costs.copies++;
    costs.copiedBytes += (source as Uint8Array).length;
  });
  try {
    run();
  } finally {
    for (const restore of undo.reverse()) restore();
  }
  return costs;
}

function chunk(serializeType: SerializeType, firstOpaque: number): Buffer {
  const frames: Buffer[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const body = Buffer.alloc(BODY_BYTES, i);
    frames.push(
      ...encodeFrame(RemotingCommand.request(7, { opaque: firstOpaque + i, version: 479, serializeType, body })),
    );
  }
  return Buffer.concat(frames);
}

function server(): { channel: EmbeddedChannel; clock: ManualClock } {
  const { core, channel, clock } = setUp({ requestDeadlines: false });
  core.requests.processorTable.register(7, echo);
  channel.pipeline
    .addFirst('frameDecoder', new FrameDecoder({ clock }))
    .addAfter('frameDecoder', 'frameEncoder', new FrameEncoder());
  return { channel, clock };
}

/** Takes what was answered off the channel; how many bytes it was. */
function takeAnswers(channel: EmbeddedChannel): number {
  let bytes = 0;
  for (let frame = channel.readOutbound(); frame !== undefined; frame = channel.readOutbound())
    bytes += (frame as Buffer).length;
  return bytes;
}

describe('a small request that is answered at once', () => {
  for (const [name, serializeType, copies] of [
    ['JSON', SerializeType.JSON, 3],
    ['ROCKETMQ', SerializeType.ROCKETMQ, 1],
  ] as const) {
    it(`makes no text and no slice, parses nothing, and copies what it sends once (${name})`, () => {
      const { channel, clock } = server();
      // The first few of a kind are scanned, and their shape is learned.
      channel.writeInbound(chunk(serializeType, 1_000));
      takeAnswers(channel);
      const requests = chunk(serializeType, 2_000);
      const costs = countCosts(() => channel.writeInbound(requests));
      const answerBytes = takeAnswers(channel);
      expect(answerBytes).to.be.above(REQUESTS * BODY_BYTES);
      expect(costs.copiedBytes)
        .to.be.at.least(REQUESTS * BODY_BYTES)
        .and.at.most(answerBytes);
      const { copiedBytes: _, ...counts } = costs;
      expect(counts).to.deep.equal({ texts: 0, parses: 0, slices: 0, copies: copies * REQUESTS, jobs: 0 });
      expect(clock.pendingTimers).to.equal(0);
    });
  }
});
