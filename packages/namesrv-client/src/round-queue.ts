/**
 * Runs rounds one after the other, never two at once (reference: broker-registration 1.1). A round that still waits for its turn does the
 * work of every later one with the same key, so that no more wait than there are keys.
 */
export class RoundQueue<Result> {
  readonly #waiting = new Map<string, Promise<Result>>();
  #tail: Promise<unknown> = Promise.resolve();

  /** Rejects as the round does; a rejection that nobody looks at is no crash, and the next round runs all the same. */
  run(key: string, round: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const result = this.#tail.then(() => {
      this.#waiting.delete(key);
      return round();
    });
    this.#waiting.set(key, result);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
