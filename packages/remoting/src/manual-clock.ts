import type { Clock, Timer } from './clock.js';

interface Pending {
  due: number;
  readonly order: number;
  readonly periodMillis: number | undefined;
  readonly task: () => void;
}

/**
 * A clock that stands still until told: {@link advance} runs the timers that come due, in the order of their time, each seeing the
 * time it was due at. {@link jump} moves the wall clock alone, as an operator or NTP does.
 */
export class ManualClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMillis = 1_700_000_000_000) {
    this.#wall = startMillis;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** How many timers wait; 0 shows that nothing was left behind. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  setTimeout(task: () => void, delayMillis: number): Timer {
    return this.#add(task, delayMillis, undefined);
  }

  setInterval(task: () => void, periodMillis: number): Timer {
    const period = Math.max(1, periodMillis || 1);
    return this.#add(task, period, period);
  }

  /** Lets `millis` pass on both clocks, running what comes due. */
  advance(millis: number): void {
    const end = this.#monotonic + millis;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const step = Math.max(0, next.due - this.#monotonic);
      this.#monotonic += step;
      this.#wall += step;
      if (next.periodMillis === undefined) this.#pending.delete(next);
      else next.due += next.periodMillis;
      next.task();
    }
    this.#wall += end - this.#monotonic;
    this.#monotonic = end;
  }

  /** As {@link advance}, but in steps of `stepMillis`, yielding to promises and I/O callbacks between them. */
  async advanceAsync(millis: number, stepMillis = millis): Promise<void> {
    for (let left = millis; left > 0; left -= stepMillis) {
      this.advance(Math.min(stepMillis, left));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Moves the wall clock by `millis`, forward or back; timers and the monotonic clock do not notice. */
  jump(millis: number): void {
    this.#wall += millis;
  }

  #add(task: () => void, delayMillis: number, periodMillis: number | undefined): Timer {
    const pending: Pending = {
      due: this.#monotonic + Math.max(0, delayMillis || 0),
      order: this.#order++,
      periodMillis,
      task,
    };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  #next(end: number): Pending | undefined {
    let next: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.due > end) continue;
      if (next === undefined || pending.due < next.due || (pending.due === next.due && pending.order < next.order))
        next = pending;
    }
    return next;
  }
}
