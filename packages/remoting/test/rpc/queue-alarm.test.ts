import { expect } from 'chai';
import { WorkQueue } from '../../src/rpc/work-queue.js';
import { ManualClock } from '../../src/testing.js';

describe('the alarm of a work queue', () => {
  function setUp() {
    const clock = new ManualClock();
    const told: [isLagging: boolean, atMillis: number, oldestMillis: number][] = [];
    const queue = new WorkQueue({
      clock,
      concurrency: 1,
      alarmMillis: 100,
      onLagging: (of, isLagging) => told.push([isLagging, clock.monotonic(), of.oldestMillis]),
    });
    const task = { owner: {}, run: () => {}, expire: () => {}, drop: () => {} };
    return { clock, told, queue, wait: () => queue.offer(task) };
  }

  it('is told once when a request has waited for so long, and once when nothing waits any more (W72)', () => {
    const { clock, told, queue, wait } = setUp();
    expect(queue.tryBegin()).to.equal(true);
    wait();
    clock.advance(99);
    expect(told).to.deep.equal([]);
    wait();
    clock.advance(1_001);
    expect(told).to.deep.equal([[true, 100, 100]]);
    queue.end();
    queue.end();
    clock.advance(50);
    expect([told.length, told[1]?.[0], told[1]?.[2]]).to.deep.equal([2, false, 0]);
    queue.end();
    expect([queue.running, clock.pendingTimers]).to.deep.equal([0, 0]);
  });

  it('is not told of a queue that moves on', () => {
    const { clock, told, queue, wait } = setUp();
    queue.tryBegin();
    for (let round = 0; round < 50; round++) {
      wait();
      clock.advance(60);
      queue.end();
    }
    expect(told).to.deep.equal([]);
  });

  it('takes a queue for caught up only when its oldest has waited less than half as long', () => {
    const { clock, told, queue, wait } = setUp();
    queue.tryBegin();
    wait();
    clock.advance(60);
    wait();
    clock.advance(40);
    expect(told).to.deep.equal([[true, 100, 100]]);
    queue.end();
    // The next one has waited 40 ms, and 90 at the look.
    clock.advance(50);
    expect(told).to.have.length(1);
    queue.end();
    wait();
    clock.advance(49);
    queue.end();
    wait();
    clock.advance(2);
    expect(told.map(([isLagging]) => isLagging)).to.deep.equal([true, false]);
  });

  it('costs no timer while nothing waits, or nobody wants to know', () => {
    const { clock, queue } = setUp();
    queue.tryBegin();
    queue.end();
    expect(clock.pendingTimers).to.equal(0);
    const silent = new WorkQueue({ clock, concurrency: 1 });
    silent.tryBegin();
    silent.offer({ owner: {}, run: () => {}, expire: () => {}, drop: () => {} });
    expect(clock.pendingTimers).to.equal(0);
  });
});
