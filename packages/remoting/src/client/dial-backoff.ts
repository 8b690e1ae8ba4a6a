export interface DialBackoffOptions {
  /** The wait after the second failure in a row; the first is followed at once by the next call's dial. */
  readonly initialMillis: number;
  /** No wait is longer, but for its jitter. */
  readonly maxMillis: number;
  /** How much longer each wait is than the one before. */
  readonly multiplier: number;
  /** A wait is longer by a random part of itself, up to this one, so that clients do not come back all at once. */
  readonly jitter: number;
}

/** When an address that could not be reached may be dialled again. Pure: the time is an argument. */
export class DialBackoff {
  readonly #options: DialBackoffOptions;
  readonly #random: () => number;
  #failures = 0;
  #nextDialAt = Number.NEGATIVE_INFINITY;
  #lastError: unknown;

  constructor(options: DialBackoffOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** Dials that failed since the last that did not. */
  get failures(): number {
    return this.#failures;
  }

  /** What the last of them failed with. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** How long until the next dial; 0 when it may be made now. */
  waitMillis(now: number): number {
    return Math.max(0, this.#nextDialAt - now);
  }

  failed(now: number, error: unknown): void {
    this.#lastError = error;
    this.#failures++;
    this.#nextDialAt = this.#failures === 1 ? now : now + this.delayMillis(this.#failures - 2);
  }

  /** The wait before try number `step`, counted from 0. */
  delayMillis(step: number): number {
    const { initialMillis, maxMillis, multiplier, jitter } = this.#options;
    return Math.min(maxMillis, initialMillis * multiplier ** step) * (1 + jitter * this.#random());
  }
}
