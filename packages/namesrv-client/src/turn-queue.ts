/**
 * Runs tasks one after the other, never two at once. A task that still waits for its turn does the work of every later one with the same
 * key, so that no more wait than there are keys.
 */
export class TurnQueue {
  readonly #waiting = new Map<string, Promise<unknown>>();
  #tail: Promise<unknown>;

  /** @param after no task runs before this has settled */
  constructor(after: Promise<unknown> = Promise.resolve()) {
    this.#tail = after.catch(() => undefined);
  }

  /**
   * Rejects as the task does; a rejection that nobody looks at is no crash, and the next task runs all the same. All tasks of one key must
   * be of the same type.
   */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting as Promise<Result>;
    const result = this.#tail.then(() => {
      this.#waiting.delete(key);
      return task();
    });
    this.#waiting.set(key, result);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
