import type { TopicSlices } from '@rmqns/protocol';

/** How many blocks are remembered, of some 4 KiB each; also those that nobody has any more. */
const MAX_BLOCKS = 1024;

/**
 * Makes one object of equal blocks of topics that come soon after each other: brokers with the same topics need them once. Brokers of a cluster
 * register one after the other when a name server starts.
 */
export class SharedSlices {
  /** Blocks by the hash of their first topic and their length, the one that came last last. */
  readonly #blocks = new Map<number, Int32Array>();

  /** The same slices, as far as possible in blocks that others have. */
  share(slices: TopicSlices): TopicSlices {
    return slices.withBlocks((block) => this.#shared(block));
  }

  #shared(block: Int32Array): Int32Array {
    // With the length, lest the block with a broker's own topic takes the place of the one that all others have.
    const key = Math.imul(block.length, 0x9e3779b1) ^ (block[1] as number);
    const before = this.#blocks.get(key);
    const shared = before !== undefined && bytesOf(before).equals(bytesOf(block)) ? before : block;
    this.#blocks.delete(key);
    this.#blocks.set(key, shared);
    if (this.#blocks.size > MAX_BLOCKS) {
      for (const oldest of this.#blocks.keys()) {
        this.#blocks.delete(oldest);
        break;
      }
    }
    return shared;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
