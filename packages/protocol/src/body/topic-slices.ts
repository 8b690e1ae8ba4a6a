import type { SliceHash } from './slice-hash.js';

/** A block ends behind a topic whose hash ends so, every 256th as it comes, or when it is this long. */
const BLOCK_END = 0xff;
const MAX_BLOCK_TOPICS = 1024;

/**
 * What is kept of the topics of a registration's body, in their order: of each the length and a hash of 64 bits of the bytes that spell it,
 * and a hash of its name; 16 bytes a topic (design decision 3). Immutable once {@link TopicSlicesBuilder.build} has made it.
 *
 * They lie in blocks, whose ends the topics tell: where two bodies have topics in common, most of their blocks are equal, also behind a
 * topic that only one of them has, and can be shared. All brokers of a cluster have the same topics but for one with their own name.
 */
export class TopicSlices {
  static readonly NONE = new TopicSlices([]);

  /** For each topic: length, low and high half of the hash, hash of the name. */
  readonly #blocks: readonly Int32Array[];
  /** The number of topics. */
  readonly size: number;
  /** The block that was asked for last, and its first topic: topics are asked for in their order. */
  #current = 0;
  #first = 0;

  constructor(blocks: readonly Int32Array[]) {
    this.#blocks = blocks;
    this.size = blocks.reduce((sum, { length }) => sum + length / 4, 0);
  }

  /** Length in bytes of a topic; 0 behind the last. */
  lengthOf(index: number): number {
    return this.#block(index)?.[(index - this.#first) * 4] ?? 0;
  }

  /** Whether a topic is the one whose bytes have this length and hash. */
  is(index: number, length: number, hash: SliceHash): boolean {
    const block = this.#block(index);
    const at = (index - this.#first) * 4;
    return block !== undefined && block[at] === length && block[at + 1] === hash.low && block[at + 2] === hash.high;
  }

  /** The hash of a topic's name; undefined behind the last. */
  nameOf(index: number): number | undefined {
    return this.#block(index)?.[(index - this.#first) * 4 + 3];
  }

  /** Adds the topic at `index` to others. */
  copyTo(builder: TopicSlicesBuilder, index: number): void {
    const block = this.#block(index);
    if (block === undefined) return;
    const at = (index - this.#first) * 4;
    builder.add(block[at] ?? 0, block[at + 1] ?? 0, block[at + 2] ?? 0, block[at + 3] ?? 0);
  }

  /** The same, with blocks that are equal to these. */
  withBlocks(equal: (block: Int32Array) => Int32Array): TopicSlices {
    return new TopicSlices(this.#blocks.map(equal));
  }

  /** The block of a topic, and {@link #first} with it; `undefined` behind the last. */
  #block(index: number): Int32Array | undefined {
    const block = this.#blocks[this.#current];
    if (block !== undefined && index >= this.#first && index < this.#first + block.length / 4) return block;
    if (index < this.#first) {
      this.#current = 0;
      this.#first = 0;
    }
    for (; this.#current < this.#blocks.length; this.#current++) {
      const { length } = this.#blocks[this.#current] as Int32Array;
      if (index < this.#first + length / 4) return this.#blocks[this.#current];
      this.#first += length / 4;
    }
    return undefined;
  }
}

/** Gathers the slices of one body. */
export class TopicSlicesBuilder {
  readonly #blocks: Int32Array[] = [];
  /** The block that has not ended. */
  readonly #columns = new Int32Array(MAX_BLOCK_TOPICS * 4);
  #columnsEnd = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(length: number, low: number, high: number, name: number): void {
    const columns = this.#columns;
    const at = this.#columnsEnd;
    columns[at] = length;
    columns[at + 1] = low;
    columns[at + 2] = high;
    columns[at + 3] = name;
    this.#columnsEnd = at + 4;
    this.#size += 1;
    if ((low & BLOCK_END) === BLOCK_END || this.#columnsEnd === columns.length) this.#endBlock();
  }

  /** Call once, behind the last topic. */
  build(): TopicSlices {
    if (this.#columnsEnd > 0) this.#endBlock();
    return new TopicSlices(this.#blocks);
  }

  #endBlock(): void {
    this.#blocks.push(this.#columns.slice(0, this.#columnsEnd));
    this.#columnsEnd = 0;
  }
}
