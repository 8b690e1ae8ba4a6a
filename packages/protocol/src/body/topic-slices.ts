import type { SliceHash } from './slice-hash.js';

const FIRST_CAPACITY = 64;

/**
 * What is kept of the topics of a registration's body, in their order: of each the length and a hash of 64 bits of the bytes that spell it,
 * and a hash of its name; 16 bytes a topic (design decision 3). Immutable once {@link TopicSlicesBuilder.build} has made it.
 */
export class TopicSlices {
  static readonly NONE = new TopicSlices(new Int32Array(0));

  /** For each topic: length, low and high half of the hash, hash of the name. */
  readonly #columns: Int32Array;

  constructor(columns: Int32Array) {
    this.#columns = columns;
  }

  /** The number of topics. */
  get size(): number {
    return this.#columns.length / 4;
  }

  /** Length in bytes of a topic; 0 behind the last. */
  lengthOf(index: number): number {
    return this.#columns[index * 4] ?? 0;
  }

  /** Whether a topic is the one whose bytes have this length and hash. */
  is(index: number, length: number, hash: SliceHash): boolean {
    const at = index * 4;
    const columns = this.#columns;
    return columns[at] === length && columns[at + 1] === hash.low && columns[at + 2] === hash.high;
  }

  /** The hash of a topic's name; undefined behind the last. */
  nameOf(index: number): number | undefined {
    return this.#columns[index * 4 + 3];
  }

  /** Whether both are of the same topics in the same order. */
  equals(other: TopicSlices): boolean {
    return this === other || bytesOf(this.#columns).equals(bytesOf(other.#columns));
  }

  /** Adds the topic at `index` to others. */
  copyTo(builder: TopicSlicesBuilder, index: number): void {
    const at = index * 4;
    const columns = this.#columns;
    builder.add(columns[at] ?? 0, columns[at + 1] ?? 0, columns[at + 2] ?? 0, columns[at + 3] ?? 0);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Gathers the slices of one body. */
export class TopicSlicesBuilder {
  #columns = new Int32Array(FIRST_CAPACITY * 4);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(length: number, low: number, high: number, name: number): void {
    const at = this.#size * 4;
    if (at === this.#columns.length) {
      const columns = new Int32Array(at * 2);
      columns.set(this.#columns);
      this.#columns = columns;
    }
    this.#columns[at] = length;
    this.#columns[at + 1] = low;
    this.#columns[at + 2] = high;
    this.#columns[at + 3] = name;
    this.#size += 1;
  }

  build(): TopicSlices {
    return new TopicSlices(this.#columns.slice(0, this.#size * 4));
  }
}
