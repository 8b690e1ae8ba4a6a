import type { Clock } from '@rmqns/remoting';

/** Lets any number of callers wait until something has happened a number of times (Java: `java.util.concurrent.CountDownLatch`). */
export class CountDownLatch {
  #count: number;
  readonly #waiting = new Set<() => void>();

  /** @throws RangeError when `count` is no whole number from 0 on */
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`a latch cannot count down from ${count}`);
    this.#count = count;
  }

  /** How many times are left. */
  get count(): number {
    return this.#count;
  }

  /** One time less; the last one releases everybody who waits. Nothing happens at zero. */
  countDown(): void {
    if (this.#count === 0) return;
    this.#count--;
    if (this.#count === 0) for (const release of [...this.#waiting]) release();
  }

  /** True as soon as the count is zero, false when that took longer than `timeoutMillis`. No timer is left behind. */
  await(timeoutMillis: number, clock: Clock): Promise<boolean> {
    if (this.#count === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (reachedZero: boolean): void => {
        timer.cancel();
        this.#waiting.delete(release);
        resolve(reachedZero);
      };
      const release = (): void => settle(true);
      const timer = clock.setTimeout(() => settle(false), timeoutMillis);
      this.#waiting.add(release);
    });
  }
}
