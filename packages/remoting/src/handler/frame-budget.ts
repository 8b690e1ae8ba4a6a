import { type Clock, systemClock } from '../clock.js';

/** A connection whose frames are not whole, as a {@link FrameBudget} knows it. */
export interface FrameHolder {
  /** What it holds; the budget's to change. */
  bufferedBytes: number;
  /** Since when it has held bytes of the same frame; the budget's to change. */
  sinceMillis: number;
  /** Gives up its bytes, of which it held so many, and ends the connection. */
  evict(bufferedBytes: number): void;
}

/**
 * Bounds the bytes of frames that are not whole over all connections: each may hold as much as one frame, and there may be many of them.
 * When the sum is too much, the connection that has cost most is ended, by bytes times the time for which it has held them, so that half a
 * frame left lying goes before a large one that is coming in.
 */
export class FrameBudget {
  readonly maxBufferedBytes: number;
  /** Connections ended for the sum's sake. */
  evictions = 0;
  readonly #clock: Clock;
  readonly #holders = new Set<FrameHolder>();
  #bufferedBytes = 0;

  constructor(maxBufferedBytes: number, clock: Clock = systemClock) {
    this.maxBufferedBytes = maxBufferedBytes;
    this.#clock = clock;
  }

  /** What all connections hold. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** A connection holds so many bytes from now on. May end this connection or others. */
  update(holder: FrameHolder, bufferedBytes: number): void {
    const before = holder.bufferedBytes;
    if (bufferedBytes === before) return;
    // Fewer bytes show that a frame has left.
    if (before === 0 || bufferedBytes < before) holder.sinceMillis = this.#clock.monotonic();
    if (before === 0) this.#holders.add(holder);
    if (bufferedBytes === 0) this.#holders.delete(holder);
    holder.bufferedBytes = bufferedBytes;
    this.#bufferedBytes += bufferedBytes - before;
    while (this.#bufferedBytes > this.maxBufferedBytes) this.#evictCostliest();
  }

  #evictCostliest(): void {
    const nowMillis = this.#clock.monotonic();
    let costliest: FrameHolder | undefined;
    let most = -1;
    for (const holder of this.#holders) {
      const cost = holder.bufferedBytes * (nowMillis - holder.sinceMillis + 1);
      if (cost <= most) continue;
      costliest = holder;
      most = cost;
    }
    if (costliest === undefined) return;
    const { bufferedBytes } = costliest;
    this.#holders.delete(costliest);
    this.#bufferedBytes -= bufferedBytes;
    costliest.bufferedBytes = 0;
    this.evictions++;
    costliest.evict(bufferedBytes);
  }
}
