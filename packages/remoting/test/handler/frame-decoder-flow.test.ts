import { expect } from 'chai';
import fc from 'fast-check';
import type { ChannelHandler } from '../../src/channel/channel-handler.js';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { WriteBufferWaterMark } from '../../src/channel/write-buffer-water-mark.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { FrameDecoder, type FrameDecoderOptions } from '../../src/handler/frame-decoder.js';
import { ReadBackpressure } from '../../src/handler/read-backpressure.js';
import { ManualClock } from '../../src/manual-clock.js';

function frame(code: number): Buffer {
  return Buffer.concat(encodeFrame(RemotingCommand.request(code, { opaque: code })));
}

function frames(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => frame(index)));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

interface Flow {
  readonly channel: EmbeddedChannel;
  readonly clock: ManualClock;
  readonly codes: number[];
  readonly log: string[];
  /** Runs the next turn that was asked for; false when none was. */
  turn(): boolean;
}

/** Requests that are answered with `answerBytes` each, to a peer that takes nothing until told. */
function flow(
  answerBytes: number,
  options: FrameDecoderOptions = {},
  onCommand: (code: number, flowing: Flow) => void = () => {},
): Flow {
  const turns: (() => void)[] = [];
  const clock = new ManualClock();
  const codes: number[] = [];
  const log: string[] = [];
  const last: ChannelHandler = {
    channelRead(ctx, message) {
      const { code } = message as RemotingCommand;
      codes.push(code);
      if (answerBytes > 0) ctx.writeAndFlush(Buffer.alloc(answerBytes));
      onCommand(code, flowing);
    },
    channelReadComplete: () => log.push(`complete ${codes.length}`),
    userEventTriggered: (_ctx, event) => log.push(JSON.stringify(event)),
    exceptionCaught: (_ctx, error) => log.push(error.message),
  };
  const channel = new EmbeddedChannel(
    [
      ['decoder', new FrameDecoder({ clock, nextTurn: (task) => turns.push(task), ...options })],
      ['backpressure', new ReadBackpressure({ clock })],
      ['last', last],
    ],
    { writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }) },
  );
  channel.holdOutbound();
  const turn = (): boolean => {
    const task = turns.shift();
    task?.();
    return task !== undefined;
  };
  const flowing: Flow = { channel, clock, codes, log, turn };
  return flowing;
}

describe('FrameDecoder, when not all may be passed on', () => {
  it('keeps requests back while their answers are not taken, and passes them on in order afterwards', () => {
    const { channel, codes, turn } = flow(8);
    channel.writeInbound(frames(7));
    expect(codes).to.deep.equal([0, 1, 2]);
    expect([channel.pendingBytes, turn()]).to.deep.equal([24, false]);
    channel.flushOutbound(2);
    expect(codes).to.deep.equal([0, 1, 2]);
    expect(turn()).to.equal(true);
    expect(codes).to.deep.equal([0, 1, 2, 3, 4]);
    channel.flushOutbound();
    expect([turn(), turn()]).to.deep.equal([true, false]);
    expect(codes).to.deep.equal(upTo(7));
  });

  it('keeps requests back while reading is off, and passes them on when it is on again', () => {
    const { channel, codes, turn } = flow(0, {}, (code, { channel }) => {
      if (code === 1) channel.autoRead = false;
    });
    channel.writeInbound(frames(4));
    expect([codes, turn()]).to.deep.equal([[0, 1], false]);
    channel.autoRead = true;
    expect([turn(), codes]).to.deep.equal([true, upTo(4)]);
  });

  it('gives other channels their turn after 256 frames (W21)', () => {
    const { channel, codes, log, turn } = flow(0);
    channel.writeInbound(frames(600));
    expect(codes).to.have.length(256);
    expect(turn()).to.equal(true);
    expect(codes).to.have.length(512);
    // What comes meanwhile waits its turn.
    channel.writeInbound(frames(1));
    expect(codes).to.have.length(512);
    expect([turn(), turn()]).to.deep.equal([true, false]);
    expect(codes).to.deep.equal([...upTo(600), 0]);
    expect(log).to.deep.equal(['complete 256', 'complete 512', 'complete 512', 'complete 601']);
  });

  it('gives other channels their turn after 5 ms', () => {
    const { channel, codes, turn } = flow(0, {}, (_code, { clock }) => clock.advance(2));
    channel.writeInbound(frames(6));
    expect(codes).to.deep.equal([0, 1, 2, 3]);
    expect([turn(), turn()]).to.deep.equal([true, false]);
    expect(codes).to.deep.equal(upTo(6));
  });

  it('looks at the clock for every eighth frame while they go fast, and for each once they go slowly', () => {
    const { channel, codes } = flow(0, {}, (code, { clock }) => clock.advance(code < 30 ? 0.01 : 1));
    channel.writeInbound(frames(60));
    // Eight after the last of the fast ones at most, and five more.
    expect(codes.length).to.be.within(36, 44);
  });

  it('passes on bytes that come from within a handler in their order', () => {
    const { channel, codes } = flow(0, {}, (code, { channel }) => {
      if (code === 1) channel.pipeline.fireChannelRead(frame(100));
    });
    channel.writeInbound(frames(3));
    expect(codes).to.deep.equal([0, 1, 2, 100]);
  });

  it('passes on nothing more, and asks for no turn, once the channel ended or the decoder was removed', () => {
    const ended = flow(8);
    ended.channel.writeInbound(frames(5));
    ended.channel.destroy();
    expect([ended.codes, ended.turn()]).to.deep.equal([[0, 1, 2], false]);
    expect(ended.log.at(-1)).to.equal(`{"type":"truncatedFrame","bufferedBytes":${2 * frame(1).length}}`);

    const removed = flow(0, { maxFramesPerTurn: 2 });
    removed.channel.writeInbound(frames(5));
    removed.channel.pipeline.remove('decoder');
    expect([removed.turn(), removed.codes]).to.deep.equal([true, [0, 1]]);

    const closed = flow(0, { maxFramesPerTurn: 2 });
    closed.channel.writeInbound(frames(5));
    void closed.channel.close();
    expect([closed.turn(), closed.codes]).to.deep.equal([true, [0, 1]]);
  });

  it('passes on the same commands however writability, reading and chunks fall', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('bytes' as const), size: fc.integer({ min: 1, max: 700 }) }),
      fc.record({ do: fc.constant('writable' as const), on: fc.boolean() }),
      fc.record({ do: fc.constant('autoRead' as const), on: fc.boolean() }),
      fc.record({ do: fc.constant('flush' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constant('turn' as const) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, switches, maxFramesPerTurn) => {
          const bytes = frames(31);
          const { channel, codes, turn } = flow(3, { maxFramesPerTurn }, (code, { channel }) => {
            if (!channel.isWritable) expect(channel.pendingBytes).to.be.at.most(23);
            for (const [at, writable] of switches) if (at === code) channel.setWritable(writable);
          });
          let at = 0;
          for (const action of steps) {
            const before = codes.length;
            const open = channel.isWritable && channel.autoRead;
            if (action.do === 'bytes') {
              channel.writeInbound(bytes.subarray(at, at + action.size));
              at += action.size;
              if (!open) expect(codes).to.have.length(before);
              expect(codes.length - before).to.be.at.most(maxFramesPerTurn);
            } else if (action.do === 'writable') channel.setWritable(action.on);
            else if (action.do === 'autoRead') channel.autoRead = action.on;
            else if (action.do === 'flush') channel.flushOutbound(action.count);
            else turn();
            expect(codes).to.deep.equal(upTo(codes.length));
          }
          channel.writeInbound(bytes.subarray(at));
          channel.flushOutbound();
          for (let round = 0; round < 100 && codes.length < 31; round++) {
            channel.setWritable(true);
            channel.autoRead = true;
            turn();
          }
          expect(codes).to.deep.equal(upTo(31));
          channel.setWritable(true);
          while (turn());
          channel.writeInbound(frame(99));
          expect(codes.at(-1)).to.equal(99);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('FrameDecoder, when a frame does not come to its end', () => {
  it('closes the connection 60 s after the first byte, however steadily others follow (W45)', async () => {
    const { channel, clock, log, codes } = flow(0);
    channel.writeInbound(frame(0));
    clock.advance(10_000);
    const bytes = Buffer.concat([frame(1), frame(2)]);
    channel.writeInbound(bytes.subarray(0, frame(1).length + 1));
    for (let i = 1; i < 60; i++) {
      clock.advance(1000);
      channel.writeInbound(bytes.subarray(frame(1).length + i, frame(1).length + i + 1));
    }
    clock.advance(999);
    expect([channel.isActive, codes]).to.deep.equal([true, [0, 1]]);
    clock.advance(1);
    const message =
      'embedded:1 sent 60 bytes of a frame and not its end within 60000 ms; the connection is closed to free them';
    expect(channel.isActive).to.equal(false);
    expect(log.at(-1)).to.equal(message);
    expect(await channel.closed).to.include({ code: 'DECODE_FAILED', address: 'embedded:1', message });
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives each frame the whole time', () => {
    const { channel, clock, codes } = flow(0, { frameTimeoutMillis: 1000 });
    const bytes = frames(20);
    for (let at = 0; at < bytes.length; at += 100) {
      channel.writeInbound(bytes.subarray(at, at + 100));
      clock.advance(400);
    }
    expect([channel.isActive, codes]).to.deep.equal([true, upTo(20)]);
    clock.advance(5000);
    expect([channel.isActive, clock.pendingTimers]).to.deep.equal([true, 0]);
  });

  it('does not count the time in which nothing is read', () => {
    const { channel, clock, codes, turn } = flow(30, { frameTimeoutMillis: 1000 });
    const bytes = frames(2);
    channel.writeInbound(bytes.subarray(0, frame(0).length + 5));
    expect([channel.isWritable, channel.autoRead]).to.deep.equal([false, false]);
    clock.advance(20_000);
    channel.flushOutbound();
    expect(turn()).to.equal(true);
    clock.advance(999);
    expect(channel.isActive).to.equal(true);
    channel.writeInbound(bytes.subarray(frame(0).length + 5));
    expect(codes).to.deep.equal([0, 1]);
  });

  it('can be switched off', () => {
    const { channel, clock } = flow(0, { frameTimeoutMillis: 0 });
    channel.writeInbound(frame(0).subarray(0, 6));
    expect(clock.pendingTimers).to.equal(0);
  });
});
