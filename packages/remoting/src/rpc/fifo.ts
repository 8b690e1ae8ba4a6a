/** A queue in which taking from the front costs the same however much waits. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The item that has waited longest, left where it is. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    // The empty front goes when it is half of all, so each item is moved once on the average.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Takes out those that `isWanted` says, in order. */
  takeIf(isWanted: (item: T) => boolean): T[] {
    const taken: T[] = [];
    const kept: T[] = [];
    for (const item of this.#items.slice(this.#head) as T[]) (isWanted(item) ? taken : kept).push(item);
    this.#items = kept;
    this.#head = 0;
    return taken;
  }
}
