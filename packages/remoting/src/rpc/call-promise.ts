const nothing = (): void => {};

/** The promise of one call, and its two ends. */
export class CallPromise<T> {
  readonly promise: Promise<T>;
  resolve: (value: T) => void = nothing;
  #reject: (error: unknown) => void = nothing;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  /**
   * Rejects, one job later. The error's stack is taken in that job, from where the `await` of the caller can be seen, so that it names the
   * caller's file and calls that succeed pay nothing for it: the engine follows `resolve` to the promise, and from it to who awaits it.
   *
   * The promise may be dropped: a failure that nobody looks at is no crash then. It is marked only after the stack was taken, since
   * the engine goes on to who awaits it only while that is the only one.
   */
  reject(error: unknown): void {
    void this.#rejectLater(error).then(this.resolve as () => void);
  }

  async #rejectLater(error: unknown): Promise<void> {
    await undefined;
    try {
      if (error instanceof Error) Error.captureStackTrace?.(error, this.#rejectLater);
    } catch {
      // A frozen error keeps the stack that it has.
    }
    this.promise.catch(nothing);
    this.#reject(error);
  }
}
