/**
 * Runs a task that is asked for often: one run at a time, and those who ask during it share one more after it, since what they want to see may have
 * changed after it began.
 */
export class CoalescedTask {
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  /** The task of whoever asked first is the one that is run. */
  run(task: () => Promise<void>): Promise<void> {
    if (this.#running === undefined) {
      this.#running = task().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#queued ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#queued = undefined;
        return this.run(task);
      });
    return this.#queued;
  }
}
