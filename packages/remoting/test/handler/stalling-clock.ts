import { ManualClock } from '../../src/manual-clock.js';

/** A manual clock in a process that can stand still: then timers run after their time. */
export class StallingClock extends ManualClock {
  #stalledMillis = 0;

  override monotonic(): number {
    return super.monotonic() + this.#stalledMillis;
  }

  /** Lets time pass in which nothing runs. */
  stall(millis: number): void {
    this.#stalledMillis += millis;
  }
}
