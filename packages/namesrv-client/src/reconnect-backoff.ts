const FIRST_MILLIS = 100;
/** However long a name server was down, this wait alone keeps no broker away from it for 2 s. */
const LONGEST_MILLIS = 1_500;
/** For one that says yes and hangs up, which gets the whole table each time. */
const LONGEST_FLAPPING_MILLIS = 5_000;
/** A connection that lasted so long was a good one. */
const LASTING_MILLIS = 10_000;
/** So many short connections in a row are no accident. */
const FLAPPING_LOSSES = 3;

/**
 * How long to wait before trying a lost name server again: 100 ms at first, twice that each time, each longer by chance, 1.5 s at most, 5 s
 * for one that flaps. Chance lengthens no wait beyond that: brokers that lost the same name server at once come back spread over 1.5 s, and all within it. It begins anew only after a connection on which the broker was registered for 10 s: a name server that says yes and hangs up is not
 * asked more often than one that is down.
 */
export class ReconnectBackoff {
  readonly #random: () => number;
  readonly #jitterMillis: number;
  #millis = FIRST_MILLIS;
  #shortConnections = 0;

  /**
   * @param random from 0 up to 1: brokers that lost the same name server shall not come back in step
   * @param jitterMillis by how much chance may lengthen a wait
   */
  constructor(random: () => number, jitterMillis: number) {
    this.#random = random;
    this.#jitterMillis = jitterMillis;
  }

  /** How many connections in a row were lost within 10 s after the broker was registered on them. */
  get shortConnections(): number {
    return this.#shortConnections;
  }

  /** Whether three connections in a row, or more, were short ones, and the broker is not registered for 10 s again. */
  isFlapping(registeredMillis: number | undefined): boolean {
    return this.#shortConnections >= FLAPPING_LOSSES && (registeredMillis ?? 0) < LASTING_MILLIS;
  }

  /** The next wait. */
  nextMillis(): number {
    const longest = this.#shortConnections >= FLAPPING_LOSSES ? LONGEST_FLAPPING_MILLIS : LONGEST_MILLIS;
    const millis = Math.min(longest, this.#millis);
    this.#millis = millis * 2;
    return millis + Math.min(this.#jitterMillis, longest - millis) * this.#random();
  }

  /**
   * A connection was lost on which the broker was registered for so long.
   *
   * @returns whether this makes the name server a flapping one, which it was not before
   */
  lost(registeredMillis: number): boolean {
    if (registeredMillis >= LASTING_MILLIS) {
      this.#millis = FIRST_MILLIS;
      this.#shortConnections = 0;
      return false;
    }
    return ++this.#shortConnections === FLAPPING_LOSSES;
  }
}
