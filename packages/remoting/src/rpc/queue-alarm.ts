import type { Clock } from '../clock.js';

/** What is watched: something in which requests wait. */
export interface AlarmedQueue {
  readonly size: number;
  readonly oldestMillis: number;
}

/**
 * Tells once when what waits longest has waited for too long, and once when the queue has caught up: nothing waits, or what does has for less
 * than half that time. A timer runs only while something waits, so taking and giving places costs nothing.
 */
export class QueueAlarm {
  readonly #clock: Clock;
  readonly #queue: AlarmedQueue;
  readonly #alarmMillis: number;
  readonly #tell: (isLagging: boolean) => void;
  #isWatching = false;
  #isLagging = false;

  constructor(clock: Clock, queue: AlarmedQueue, alarmMillis: number, tell: (isLagging: boolean) => void) {
    this.#clock = clock;
    this.#queue = queue;
    this.#alarmMillis = alarmMillis;
    this.#tell = tell;
  }

  get isLagging(): boolean {
    return this.#isLagging;
  }

  /** Something waits. */
  watch(): void {
    if (!this.#isWatching) this.#arm();
  }

  #arm(): void {
    const { oldestMillis } = this.#queue;
    const delayMillis = this.#isLagging ? this.#alarmMillis / 2 : Math.max(1, this.#alarmMillis - oldestMillis);
    this.#isWatching = true;
    this.#clock.setTimeout(() => this.#look(), delayMillis, true);
  }

  #look(): void {
    this.#isWatching = false;
    const { size, oldestMillis } = this.#queue;
    const isLagging = size > 0 && oldestMillis >= (this.#isLagging ? this.#alarmMillis / 2 : this.#alarmMillis);
    const hasChanged = isLagging !== this.#isLagging;
    this.#isLagging = isLagging;
    if (size > 0) this.#arm();
    if (hasChanged) this.#tell(isLagging);
  }
}
