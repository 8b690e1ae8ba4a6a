import type { Clock, Timer } from '../clock.js';
import { setPatientTimeout } from './patient-timeout.js';

/**
 * Watches that a frame which has begun is completed in time. At most one timer runs, and it is not set anew with each frame: when it runs,
 * it is set for what the frame of that moment has left.
 */
export class FrameDeadline {
  readonly #clock: Clock;
  readonly #timeoutMillis: number;
  readonly #onExpired: () => void;
  #since: number | undefined;
  #timer: Timer | undefined;

  /** @param timeoutMillis 0 never expires */
  constructor(clock: Clock, timeoutMillis: number, onExpired: () => void) {
    this.#clock = clock;
    this.#timeoutMillis = timeoutMillis;
    this.#onExpired = onExpired;
  }

  get isRunning(): boolean {
    return this.#since !== undefined;
  }

  /** Counts from now on. */
  start(): void {
    if (this.#timeoutMillis <= 0) return;
    this.#since = this.#clock.monotonic();
    if (this.#timer === undefined) this.#arm(this.#timeoutMillis);
  }

  /** Counts no more; the timer is left to find out. */
  pause(): void {
    this.#since = undefined;
  }

  /** Counts no more, and leaves no timer behind. */
  stop(): void {
    this.#since = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(delayMillis: number): void {
    this.#timer = setPatientTimeout(this.#clock, this.#look, delayMillis);
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    if (this.#since === undefined) return;
    const leftMillis = this.#since + this.#timeoutMillis - this.#clock.monotonic();
    if (leftMillis > 0) this.#arm(leftMillis);
    else this.#onExpired();
  };
}
