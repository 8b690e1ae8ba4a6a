import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { IdleStateHandler } from '../../src/handler/idle-state-handler.js';
import { StallingClock } from './stalling-clock.js';

interface Idle {
  readonly clock: StallingClock;
  readonly channel: EmbeddedChannel;
  readonly events: number[];
}

function idle(allIdleMillis?: number): Idle {
  const clock = new StallingClock();
  const events: number[] = [];
  const channel = new EmbeddedChannel({
    idle: new IdleStateHandler({ clock, allIdleMillis }),
    last: {
      userEventTriggered(_ctx, event) {
        expect(event).to.deep.equal({ type: 'idle', state: 'allIdle' });
        events.push(clock.monotonic());
      },
    },
  });
  return { clock, channel, events };
}

describe('IdleStateHandler', () => {
  it('fires at exactly 120 s by default, not a millisecond before, and again after each further 120 s', () => {
    const { clock, events } = idle();
    clock.advance(119_999);
    expect(events).to.deep.equal([]);
    clock.advance(1);
    expect(events).to.deep.equal([120_000]);
    clock.advance(240_000);
    expect(events).to.deep.equal([120_000, 240_000, 360_000]);
  });

  it('counts from the last read', () => {
    const { clock, channel, events } = idle(1000);
    clock.advance(600);
    channel.writeInbound('read');
    expect(clock.pendingTimers).to.equal(1);
    clock.advance(999);
    expect(events).to.deep.equal([]);
    clock.advance(1);
    expect(events).to.deep.equal([1600]);
  });

  it('counts from the look, each quarter of its time, that saw a write', () => {
    const { clock, channel, events } = idle(1000);
    clock.advance(751);
    channel.writeAndFlush(Buffer.alloc(1));
    clock.advance(700);
    channel.writeAndFlush(Buffer.alloc(1), () => {});
    expect(clock.pendingTimers).to.equal(1);
    clock.advance(1048);
    expect(events).to.deep.equal([]);
    clock.advance(1);
    expect(events).to.deep.equal([2500]);
  });

  it('does not count a write that nobody takes, but counts a part that was taken', () => {
    const { clock, channel, events } = idle(1000);
    channel.holdOutbound();
    clock.advance(500);
    channel.writeAndFlush(Buffer.alloc(10));
    clock.advance(500);
    expect(events).to.deep.equal([1000]);

    channel.write(Buffer.alloc(10));
    channel.writeAndFlush(Buffer.alloc(10));
    clock.advance(900);
    channel.flushOutbound(1);
    clock.advance(1099);
    expect(events).to.deep.equal([1000]);
    clock.advance(1);
    expect(events).to.deep.equal([1000, 3000]);
  });

  it('counts a part of a frame that an earlier handler keeps', () => {
    const { clock, channel, events } = idle(1000);
    channel.pipeline.addFirst('keeper', { channelRead() {} });
    clock.advance(999);
    channel.writeInbound(Buffer.alloc(1));
    clock.advance(999);
    expect(events).to.deep.equal([]);
  });

  it('lets what arrived while the process stood still be read before it judges', () => {
    const { clock, channel, events } = idle(1000);
    clock.advance(900);
    clock.stall(5000);
    clock.advance(100);
    expect(events).to.deep.equal([]);
    // The sockets have their turn.
    channel.writeInbound('read');
    clock.advance(999);
    expect(events).to.deep.equal([]);
    clock.stall(5000);
    clock.advance(200);
    expect(events).to.have.length(1);
  });

  it('leaves no timer behind when it is removed, the channel ends, or it is switched off', () => {
    const removed = idle(1000);
    removed.channel.pipeline.remove('idle');
    expect(removed.clock.pendingTimers).to.equal(0);
    const ended = idle(1000);
    ended.channel.destroy();
    expect(ended.clock.pendingTimers).to.equal(0);
    expect(idle(0).clock.pendingTimers).to.equal(0);
  });

  it('starts when it is added to an active channel', () => {
    const { clock, channel, events } = idle(0);
    channel.pipeline.addFirst('late', new IdleStateHandler({ clock, allIdleMillis: 10 }));
    clock.advance(10);
    expect(events).to.deep.equal([10]);
  });

  it('leaves the report of a failed write without a listener to the channel', () => {
    const { channel } = idle(1000);
    channel.pipeline.addFirst('thrower', {
      write() {
        throw new Error('no');
      },
    });
    channel.write('x');
    expect(() => channel.checkException()).to.throw('handler thrower failed in write: no');
  });
});
