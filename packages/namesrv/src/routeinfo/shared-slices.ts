import type { TopicSlices } from '@rmqns/protocol';

/** How many are compared. Brokers of a cluster register one after the other when a name server starts, and often with the same topics. */
const MAX_RECENT = 8;

/** Makes one object of those slices that are equal and come soon after each other: brokers with the same topics need them once. */
export class SharedSlices {
  /** The last one asked for first. */
  readonly #recent: TopicSlices[] = [];

  /** These, or equal ones. */
  share(slices: TopicSlices): TopicSlices {
    const place = this.#recent.findIndex((recent) => recent.equals(slices));
    const shared = this.#recent[place] ?? slices;
    if (place >= 0) this.#recent.splice(place, 1);
    this.#recent.unshift(shared);
    if (this.#recent.length > MAX_RECENT) this.#recent.pop();
    return shared;
  }
}
