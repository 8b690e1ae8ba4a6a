import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { WriteBufferWaterMark } from '../../src/channel/write-buffer-water-mark.js';
import { ReadBackpressure } from '../../src/handler/read-backpressure.js';
import { StallingClock } from './stalling-clock.js';

function held(stalledWriteMillis?: number): { clock: StallingClock; channel: EmbeddedChannel } {
  const clock = new StallingClock();
  const channel = new EmbeddedChannel(
    { backpressure: new ReadBackpressure({ clock, stalledWriteMillis }) },
    { writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }) },
  );
  channel.holdOutbound();
  return { clock, channel };
}

describe('ReadBackpressure', () => {
  it('switches reading off while the channel is unwritable (W51)', () => {
    const { clock, channel } = held();
    channel.writeAndFlush(Buffer.alloc(20));
    expect(channel.autoRead).to.equal(true);
    channel.writeAndFlush(Buffer.alloc(1));
    expect(channel.autoRead).to.equal(false);
    channel.flushOutbound();
    expect([channel.autoRead, clock.pendingTimers]).to.deep.equal([true, 0]);
  });

  it('lets reading go on where it is told to, and watches for a peer that takes nothing all the same', () => {
    const clock = new StallingClock();
    const channel = new EmbeddedChannel(
      { backpressure: new ReadBackpressure({ clock, pausesReading: false }) },
      { writeBufferWaterMark: new WriteBufferWaterMark({ lowBytes: 10, highBytes: 20 }) },
    );
    channel.holdOutbound();
    channel.writeAndFlush(Buffer.alloc(21), () => {});
    expect([channel.autoRead, clock.pendingTimers]).to.deep.equal([true, 1]);
    clock.advance(30_000);
    expect(channel.isActive).to.equal(false);
  });

  it('leaves alone a reading that somebody else switched off', () => {
    const { channel } = held();
    channel.autoRead = false;
    channel.writeAndFlush(Buffer.alloc(21));
    channel.flushOutbound();
    expect(channel.autoRead).to.equal(false);
  });

  it('destroys a channel of which no byte was taken for 30 s, and fails what waits', async () => {
    const { clock, channel } = held();
    const results: unknown[] = [];
    channel.writeAndFlush(Buffer.alloc(21), (error) => results.push(error?.code));
    clock.advance(29_999);
    expect(channel.isActive).to.equal(true);
    clock.advance(1);
    expect(channel.isActive).to.equal(false);
    const error = await channel.closed;
    expect(error).to.include({ code: 'SEND_FAILED', address: 'embedded:1' });
    expect(error?.message).to.equal(
      'embedded:1 took none of 21 waiting bytes for 30000 ms; the connection is closed to free them',
    );
    expect(results).to.deep.equal(['SEND_FAILED']);
    expect([channel.pendingBytes, clock.pendingTimers]).to.deep.equal([0, 0]);
  });

  it('bears with a peer that takes something in each such time', () => {
    const { clock, channel } = held(1000);
    for (let i = 0; i < 30; i++) channel.write(Buffer.alloc(1));
    channel.flush();
    for (let i = 0; i < 5; i++) {
      clock.advance(999);
      channel.flushOutbound(1);
      clock.advance(1);
      expect(channel.isActive).to.equal(true);
    }
    clock.advance(1000);
    expect(channel.isActive).to.equal(false);
  });

  it('lets bytes go that could not while the process stood still, before it judges', () => {
    const { clock, channel } = held(1000);
    channel.writeAndFlush(Buffer.alloc(15));
    channel.writeAndFlush(Buffer.alloc(15));
    clock.advance(500);
    clock.stall(2000);
    clock.advance(500);
    expect(channel.isActive).to.equal(true);
    channel.flushOutbound(1);
    clock.advance(1000);
    expect(channel.isActive).to.equal(true);
    clock.advance(100);
    expect(channel.isActive).to.equal(false);
  });

  it('gives reading back when it is removed', () => {
    const { clock, channel } = held();
    channel.writeAndFlush(Buffer.alloc(21));
    channel.pipeline.remove('backpressure');
    expect([channel.autoRead, clock.pendingTimers]).to.deep.equal([true, 0]);
  });
});
