import type { Channel } from '../channel/channel.js';
import { OpaqueGenerator } from '../command/opaque-generator.js';
import type { ResponseFuture } from './response-future.js';

/**
 * The calls that wait for an answer, by connection and opaque (upstream: `responseTable`, by opaque alone). So only the peer that was
 * asked can answer, and a connection that closes costs what waits on it.
 */
export class ResponseTable {
  readonly #waiting = new Map<Channel, Map<number, ResponseFuture>>();
  readonly #opaques: OpaqueGenerator;
  #size = 0;

  constructor(opaques: OpaqueGenerator = new OpaqueGenerator()) {
    this.#opaques = opaques;
  }

  /** Calls that wait, over all connections. */
  get size(): number {
    return this.#size;
  }

  /** Enters a call that is about to be sent over a connection, under an opaque that none there has, also after 2^32 calls. */
  put(channel: Channel, future: ResponseFuture): number {
    let waiting = this.#waiting.get(channel);
    if (waiting === undefined) {
      waiting = new Map();
      this.#waiting.set(channel, waiting);
    }
    let opaque = this.#opaques.next();
    while (waiting.has(opaque)) opaque = this.#opaques.next();
    waiting.set(opaque, future);
    this.#size++;
    return opaque;
  }

  /** An opaque for a request that nobody answers. */
  nextOpaque(): number {
    return this.#opaques.next();
  }

  get(channel: Channel, opaque: number): ResponseFuture | undefined {
    return this.#waiting.get(channel)?.get(opaque);
  }

  /** Forgets a call; nothing happens when it is not there. */
  remove(channel: Channel, opaque: number): void {
    const waiting = this.#waiting.get(channel);
    if (waiting?.delete(opaque) !== true) return;
    this.#size--;
    if (waiting.size === 0) this.#waiting.delete(channel);
  }

  /** Ends the calls that wait on one connection (upstream: `failFast`). */
  failAll(channel: Channel, fail: (future: ResponseFuture) => void): void {
    for (const future of [...(this.#waiting.get(channel)?.values() ?? [])]) fail(future);
  }

  /** How many calls wait on one connection. */
  waitingOn(channel: Channel): number {
    return this.#waiting.get(channel)?.size ?? 0;
  }
}
