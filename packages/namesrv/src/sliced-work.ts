import type { Steps } from '@rmqns/protocol';
import type { Clock } from '@rmqns/remoting';

export { allAtOnce, type Steps } from '@rmqns/protocol';

/** How long work may keep everybody else waiting, in milliseconds. */
const SLICE_MILLIS = 3;

/**
 * Does work in slices of about 3 ms and lets others have their turn between them: a registration of 100,000 topics takes most of a second,
 * and no client waits for it (design decision 3). Works that have an owner in common are done one after the other, others side by side.
 */
export class SlicedWork {
  readonly #clock: Clock;
  readonly #nextTurn: () => Promise<void>;
  /** The last work of each owner that has not ended. */
  readonly #underWay = new Map<unknown, Promise<unknown>>();
  /** Resolves when the last work of the line has ended. */
  #lastInLine = Promise.resolve();

  /** @param nextTurn resolves when others have had their turn */
  constructor(clock: Clock, nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))) {
    this.#clock = clock;
    this.#nextTurn = nextTurn;
  }

  /** Resolves, never rejects, when the works of an owner that were begun until now have ended; `undefined` when there are none. */
  after(owner: unknown): Promise<unknown> | undefined {
    return this.#underWay.size === 0 ? undefined : this.#underWay.get(owner);
  }

  /** Resolves with the result, or rejects with what a step threw. The first slice is after the turn this is called in. */
  run<Result>(owners: readonly unknown[], steps: Steps<Result>): Promise<Result> {
    return this.#own(owners, () => this.#run(steps));
  }

  /**
   * {@link run} for a work that holds much until it has ended: of these one is under way at a time, also while it waits for something, and the one
   * that could begin first is first. Of many brokers that register at once each waits for those before it, and not for all.
   */
  runInLine<Result>(owners: readonly unknown[], steps: Steps<Result>): Promise<Result> {
    return this.#own(owners, () => this.#inLine(() => this.#run(steps)));
  }

  #own<Result>(owners: readonly unknown[], begin: () => Promise<Result>): Promise<Result> {
    const work = Promise.all(owners.map((owner) => this.after(owner))).then(begin);
    const ended = work
      .catch(() => {})
      .finally(() => {
        for (const owner of owners) if (this.#underWay.get(owner) === ended) this.#underWay.delete(owner);
      });
    for (const owner of owners) this.#underWay.set(owner, ended);
    return work;
  }

  async #run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      await this.#nextTurn();
      const end = this.#clock.monotonic() + SLICE_MILLIS;
      do {
        const { done, value } = steps.next();
        if (done === true) return value;
        if (value !== undefined) {
          await value;
          break;
        }
      } while (this.#clock.monotonic() < end);
    }
  }

  async #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#lastInLine;
    let end = (): void => {};
    this.#lastInLine = new Promise<void>((resolve) => {
      end = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      end();
    }
  }
}
