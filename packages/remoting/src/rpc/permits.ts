/** Somebody who waits for a permit. */
export interface PermitWaiter {
  /** The permit is theirs. */
  acquired(): void;
}

/** Counts calls in flight against a limit (upstream: the oneway and async semaphores). */
export class Permits {
  readonly total: number;
  #free: number;
  /** In the order of their coming, as upstream's semaphores are fair. */
  readonly #waiters = new Set<PermitWaiter>();

  constructor(total: number) {
    this.total = total;
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Takes one, or says that none is left. Whoever got one gives it back exactly once. */
  tryAcquire(): boolean {
    if (this.#free <= 0) return false;
    this.#free--;
    return true;
  }

  /** Waits for one until {@link forget}. */
  wait(waiter: PermitWaiter): void {
    this.#waiters.add(waiter);
  }

  forget(waiter: PermitWaiter): void {
    this.#waiters.delete(waiter);
  }

  release(): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter.acquired();
      return;
    }
    this.#free++;
  }
}
