import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { CountDownLatch } from '../src/count-down-latch.js';

describe('CountDownLatch', () => {
  it('releases everybody who waits when it reaches zero, and leaves no timer', async () => {
    const clock = new ManualClock();
    const latch = new CountDownLatch(2);
    const waiting = Promise.all([latch.await(100, clock), latch.await(200, clock)]);
    latch.countDown();
    expect(latch.count).to.equal(1);
    latch.countDown();
    expect(await waiting).to.deep.equal([true, true]);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('gives up at the timeout, each caller at its own', async () => {
    const clock = new ManualClock();
    const latch = new CountDownLatch(1);
    const short = latch.await(100, clock);
    const long = latch.await(200, clock);
    clock.advance(100);
    expect(await short).to.equal(false);
    latch.countDown();
    expect(await long).to.equal(true);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('lets callers through at once at zero, and counts no further', async () => {
    const clock = new ManualClock();
    const latch = new CountDownLatch(0);
    latch.countDown();
    expect(latch.count).to.equal(0);
    expect(await latch.await(100, clock)).to.equal(true);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('refuses to count down from what is no count', () => {
    for (const count of [-1, 0.5, Number.NaN]) expect(() => new CountDownLatch(count)).to.throw(RangeError);
  });
});
