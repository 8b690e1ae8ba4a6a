import type { ResponseFuture } from './response-future.js';

/**
 * The calls that have not ended. A Set would do but for its price: see {@link ResponseTable} on what the engine does with tables whose entries
 * come and go. A call knows its place here, and the last one takes the place of one that goes.
 */
export class ActiveCalls {
  readonly #calls: ResponseFuture[] = [];

  get size(): number {
    return this.#calls.length;
  }

  add(call: ResponseFuture): void {
    call.place = this.#calls.length;
    this.#calls.push(call);
  }

  /** Nothing happens when it is not there. */
  delete(call: ResponseFuture): void {
    const { place } = call;
    if (this.#calls[place] !== call) return;
    const last = this.#calls.pop() as ResponseFuture;
    if (last === call) return;
    this.#calls[place] = last;
    last.place = place;
  }

  [Symbol.iterator](): IterableIterator<ResponseFuture> {
    return this.#calls[Symbol.iterator]();
  }
}
