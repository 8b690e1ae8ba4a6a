import { expect } from 'chai';
import { type Clock, systemClock } from '../src/clock.js';
import { ManualClock } from '../src/manual-clock.js';

const maxDelay = 2 ** 31 - 1;

/** Runs `use` with Node's timers standing on a manual clock, that refuses what Node cannot count. */
function withNodeTimers(use: (nodeClock: ManualClock) => void): void {
  const nodeClock = new ManualClock();
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const make = (name: 'setTimeout' | 'setInterval') => (task: () => void, delay: number) => {
    expect(delay).to.be.within(0, maxDelay);
    const timer = nodeClock[name](task, delay);
    return { cancel: () => timer.cancel(), unref: () => {} };
  };
  const clear = (timer: { cancel(): void }): void => timer.cancel();
  Object.assign(globalThis, {
    setTimeout: make('setTimeout'),
    setInterval: make('setInterval'),
    clearTimeout: clear,
    clearInterval: clear,
  });
  try {
    use(nodeClock);
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
  }
}

/** When timers of these delays run, by what a clock makes of them. */
function timesOf(clock: Clock, name: 'setTimeout' | 'setInterval', delay: number, driver: ManualClock): number[] {
  const times: number[] = [];
  const start = driver.monotonic();
  const timer = clock[name](() => times.push(driver.monotonic() - start), delay, true);
  const end = delay === Number.POSITIVE_INFINITY ? 10 * maxDelay : Math.max(3, 3.5 * (delay || 0));
  driver.advance(end);
  timer.cancel();
  driver.advance(end);
  expect(driver.pendingTimers).to.equal(0);
  return times;
}

describe('systemClock and ManualClock', () => {
  const cases: [delay: number, timeout: number[], interval: number[]][] = [
    [1000, [1000], [1000, 2000, 3000]],
    [maxDelay, [maxDelay], [maxDelay, 2 * maxDelay, 3 * maxDelay]],
    [maxDelay + 1, [maxDelay + 1], [maxDelay + 1, 2 * maxDelay + 2, 3 * maxDelay + 3]],
    [3 * maxDelay + 7, [3 * maxDelay + 7], [3 * maxDelay + 7, 6 * maxDelay + 14, 9 * maxDelay + 21]],
    [Number.POSITIVE_INFINITY, [], []],
    [0, [0], [1, 2, 3]],
    [-5, [0], [1, 2, 3]],
    [Number.NaN, [0], [1, 2, 3]],
  ];
  for (const [delay, timeout, interval] of cases) {
    it(`both wait ${delay} ms`, () => {
      withNodeTimers((nodeClock) => {
        const manual = new ManualClock();
        expect(timesOf(systemClock, 'setTimeout', delay, nodeClock)).to.deep.equal(timeout);
        expect(timesOf(manual, 'setTimeout', delay, manual)).to.deep.equal(timeout);
        expect(timesOf(systemClock, 'setInterval', delay, nodeClock)).to.deep.equal(interval);
        expect(timesOf(manual, 'setInterval', delay, manual)).to.deep.equal(interval);
      });
    });
  }

  it('run a real timer, and none that was cancelled', async () => {
    const log: string[] = [];
    systemClock.setTimeout(() => log.push('cancelled'), 1).cancel();
    systemClock.setTimeout(() => log.push('cancelled'), 2 ** 40).cancel();
    await new Promise<void>((resolve) => systemClock.setTimeout(resolve, 2));
    await new Promise<void>((resolve) => {
      const timer = systemClock.setInterval(() => {
        timer.cancel();
        resolve();
      }, Number.NaN);
    });
    expect(log).to.deep.equal([]);
  });
});
