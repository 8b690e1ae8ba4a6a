import { ownString } from '../routeinfo/own-string.js';

/** What a holder of copies is told: the topics whose copies are not good any more, or all. Resolves when it has forgotten them, or has ended. */
export type SendInvalidation = (topics: readonly string[] | 'all') => Promise<void>;

/** One process that holds copies. */
export interface CopyHolder {
  readonly send: SendInvalidation;
  /** The topics of which it may have a copy. */
  readonly topics: Set<string>;
  /** Those of which it is to be told. */
  stale: string[];
  isAllStale: boolean;
}

/**
 * Which processes have copies of which routes, on the side of the owner: a change is told to those that have one, and to nobody else.
 *
 * What changes in one turn leaves together, at the end of the turn's promise jobs, or at once when {@link settled} asks for it. A holder gets its
 * messages and its answers over one ordered way, so that an answer from before a change never comes after the word of it.
 */
export class HandedOutRoutes {
  readonly #holders = new Set<CopyHolder>();
  readonly #underWay = new Set<Promise<void>>();
  #isBooked = false;

  add(send: SendInvalidation): CopyHolder {
    const holder: CopyHolder = { send, topics: new Set(), stale: [], isAllStale: false };
    this.#holders.add(holder);
    return holder;
  }

  /** A holder has ended, and its copies with it. */
  remove(holder: CopyHolder): void {
    this.#holders.delete(holder);
  }

  /** A route is about to be sent to a holder, in this turn. */
  handOut(holder: CopyHolder, topic: string): void {
    if (!holder.topics.has(topic)) holder.topics.add(ownString(topic));
  }

  /** What a route shows has changed. */
  invalidate(topic: string): void {
    for (const holder of this.#holders) {
      if (!holder.topics.delete(topic)) continue;
      holder.stale.push(topic);
      this.#book();
    }
  }

  /** Something has changed that every route may show. */
  invalidateAll(): void {
    for (const holder of this.#holders) {
      holder.topics.clear();
      holder.stale = [];
      holder.isAllStale = true;
      this.#book();
    }
  }

  /** Resolves when nobody has a copy any more that was not good at the time of the call; `undefined` when that is so already. */
  settled(): Promise<void> | undefined {
    this.#flush();
    if (this.#underWay.size === 0) return undefined;
    return Promise.all(this.#underWay).then(() => {});
  }

  #book(): void {
    if (this.#isBooked) return;
    this.#isBooked = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    if (!this.#isBooked) return;
    this.#isBooked = false;
    for (const holder of this.#holders) {
      const { stale, isAllStale, send } = holder;
      if (!isAllStale && stale.length === 0) continue;
      holder.stale = [];
      holder.isAllStale = false;
      const told = send(isAllStale ? 'all' : stale);
      this.#underWay.add(told);
      void told.finally(() => this.#underWay.delete(told));
    }
  }
}
