/** Counts calls in flight against a limit (upstream: the oneway and async semaphores). */
export class Permits {
  readonly total: number;
  #free: number;

  constructor(total: number) {
    this.total = total;
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  /** Takes one, or says that none is left. Whoever got one gives it back exactly once. */
  tryAcquire(): boolean {
    if (this.#free <= 0) return false;
    this.#free--;
    return true;
  }

  release(): void {
    this.#free++;
  }
}
