const FIRST_MILLIS = 100;
const LONGEST_MILLIS = 5_000;

/** How long to wait before trying a lost name server again: 100 ms at first, twice that each time, 5 s at most, less up to half by chance. */
export class ReconnectBackoff {
  readonly #random: () => number;
  #millis = FIRST_MILLIS;

  /** @param random from 0 up to 1: brokers that lost the same name server shall not come back in step */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** The next wait. */
  nextMillis(): number {
    const millis = this.#millis;
    this.#millis = Math.min(LONGEST_MILLIS, millis * 2);
    return millis * (1 - this.#random() / 2);
  }

  /** All is well again. */
  reset(): void {
    this.#millis = FIRST_MILLIS;
  }
}
