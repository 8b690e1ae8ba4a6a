import type { Channel } from '../channel/channel.js';
import { OpaqueGenerator } from '../command/opaque-generator.js';
import type { ResponseFuture } from './response-future.js';

/** A power of two. */
const MIN_SLOTS = 64;
/** Above so many the slots are given back when no call waits. */
const KEPT_SLOTS = 1024;

/**
 * The calls that wait for an answer, by connection and opaque (upstream: `responseTable`, by opaque alone). So only the peer that was
 * asked can answer, and a connection that closes costs what waits on it.
 *
 * Slots with linear probing instead of a Map: when the engine makes a Map anew, as it does after some dozens of entries came and went, the old
 * one leads to the new one and, once it is old enough, keeps alive all calls that ever were in those after it, until a full collection. That
 * cost a client 3 of 7.5 µs for each call.
 */
export class ResponseTable {
  // One entry in three columns; a slot without a call is free.
  #calls: (ResponseFuture | undefined)[] = new Array(MIN_SLOTS).fill(undefined);
  #opaqueAt: number[] = new Array(MIN_SLOTS).fill(0);
  #channelAt: (Channel | undefined)[] = new Array(MIN_SLOTS).fill(undefined);
  #mask = MIN_SLOTS - 1;
  #size = 0;
  readonly #opaques: OpaqueGenerator;

  constructor(opaques: OpaqueGenerator = new OpaqueGenerator()) {
    this.#opaques = opaques;
  }

  /** Calls that wait, over all connections. */
  get size(): number {
    return this.#size;
  }

  /** Enters a call that is about to be sent over a connection, under an opaque that no other has, also after 2^32 calls. */
  put(channel: Channel, future: ResponseFuture): number {
    if (this.#size * 2 > this.#mask) this.#resize((this.#mask + 1) * 2);
    let opaque = this.#opaques.next();
    let slot = this.#slotOf(opaque);
    while (this.#calls[slot] !== undefined) {
      opaque = this.#opaques.next();
      slot = this.#slotOf(opaque);
    }
    this.#set(slot, future, opaque, channel);
    this.#size++;
    return opaque;
  }

  /** An opaque for a request that nobody answers. */
  nextOpaque(): number {
    return this.#opaques.next();
  }

  get(channel: Channel, opaque: number): ResponseFuture | undefined {
    const slot = this.#slotOf(opaque);
    return this.#channelAt[slot] === channel ? this.#calls[slot] : undefined;
  }

  /** Forgets a call; nothing happens when it is not there. */
  remove(channel: Channel, opaque: number): void {
    const slot = this.#slotOf(opaque);
    if (this.#channelAt[slot] !== channel) return;
    this.#size--;
    if (this.#size === 0 && this.#mask >= KEPT_SLOTS) this.#resize(MIN_SLOTS, slot);
    else this.#free(slot);
  }

  /** Ends the calls that wait on one connection (upstream: `failFast`). */
  failAll(channel: Channel, fail: (future: ResponseFuture) => void): void {
    for (const future of this.#waitingOn(channel)) fail(future);
  }

  /** How many calls wait on one connection. */
  waitingOn(channel: Channel): number {
    return this.#waitingOn(channel).length;
  }

  #waitingOn(channel: Channel): ResponseFuture[] {
    if (this.#size === 0) return [];
    return this.#calls.filter(
      (call, slot): call is ResponseFuture => call !== undefined && this.#channelAt[slot] === channel,
    );
  }

  /** Where an opaque stands, or else the free slot where it would. */
  #slotOf(opaque: number): number {
    let slot = opaque & this.#mask;
    while (this.#calls[slot] !== undefined && this.#opaqueAt[slot] !== opaque) slot = (slot + 1) & this.#mask;
    return slot;
  }

  #set(slot: number, future: ResponseFuture | undefined, opaque: number, channel: Channel | undefined): void {
    this.#calls[slot] = future;
    this.#opaqueAt[slot] = opaque;
    this.#channelAt[slot] = channel;
  }

  /** Moves back what stands behind and would not be found across the gap. */
  #free(slot: number): void {
    let gap = slot;
    for (let at = (gap + 1) & this.#mask; this.#calls[at] !== undefined; at = (at + 1) & this.#mask) {
      const opaque = this.#opaqueAt[at] as number;
      const home = opaque & this.#mask;
      // Whether the way from home to here leads over the gap.
      if (((at - home) & this.#mask) < ((at - gap) & this.#mask)) continue;
      this.#set(gap, this.#calls[at], opaque, this.#channelAt[at]);
      gap = at;
    }
    this.#set(gap, undefined, 0, undefined);
  }

  /** @param without a slot whose call goes */
  #resize(slots: number, without = -1): void {
    const calls = this.#calls;
    const opaqueAt = this.#opaqueAt;
    const channelAt = this.#channelAt;
    this.#calls = new Array(slots).fill(undefined);
    this.#opaqueAt = new Array(slots).fill(0);
    this.#channelAt = new Array(slots).fill(undefined);
    this.#mask = slots - 1;
    for (let slot = 0; slot < calls.length; slot++) {
      if (calls[slot] === undefined || slot === without) continue;
      const opaque = opaqueAt[slot] as number;
      this.#set(this.#slotOf(opaque), calls[slot], opaque, channelAt[slot]);
    }
  }
}
