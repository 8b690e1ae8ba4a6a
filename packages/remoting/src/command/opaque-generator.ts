/**
 * Hands out the ids that tie answers to requests: 0, 1, … 2^31-1, then from -2^31 on, as a Java int wraps (reference: remoting 2.8).
 * An id still in use by a call that waits is skipped by whoever takes it.
 */
export class OpaqueGenerator {
  #next: number;

  constructor(first = 0) {
    this.#next = first | 0;
  }

  next(): number {
    const opaque = this.#next;
    this.#next = (opaque + 1) | 0;
    return opaque;
  }
}
