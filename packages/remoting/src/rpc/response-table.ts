import type { Channel } from '../channel/channel.js';
import { OpaqueGenerator } from '../command/opaque-generator.js';
import type { RemotingError } from '../errors.js';
import type { ResponseFuture } from './response-future.js';

/** The calls that wait, by opaque (upstream: `responseTable`). */
export class ResponseTable {
  readonly #futures = new Map<number, ResponseFuture>();
  readonly #opaques: OpaqueGenerator;

  constructor(opaques: OpaqueGenerator = new OpaqueGenerator()) {
    this.#opaques = opaques;
  }

  get size(): number {
    return this.#futures.size;
  }

  /** An opaque that no waiting call has, also after 2^32 calls. */
  nextOpaque(): number {
    let opaque = this.#opaques.next();
    while (this.#futures.has(opaque)) opaque = this.#opaques.next();
    return opaque;
  }

  put(future: ResponseFuture): void {
    this.#futures.set(future.opaque, future);
  }

  get(opaque: number): ResponseFuture | undefined {
    return this.#futures.get(opaque);
  }

  remove(future: ResponseFuture): void {
    if (this.#futures.get(future.opaque) === future) this.#futures.delete(future.opaque);
  }

  /** Ends the calls that wait on one channel, or all of them (upstream: `failFast`). */
  failAll(error: (future: ResponseFuture) => RemotingError, channel?: Channel): number {
    let failed = 0;
    for (const future of [...this.#futures.values()]) {
      if (channel === undefined || future.channel === channel) {
        future.settle(error(future), undefined);
        failed++;
      }
    }
    return failed;
  }
}
