/** Bytes that others are compared with, as words and the bytes that are left: a fourth of the steps. */
export class ByteRun {
  readonly #words: Int32Array;
  readonly #tail: Uint8Array;
  readonly #byteLength: number;

  constructor(bytes: Buffer) {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => words.getInt32(4 * i));
    this.#tail = Uint8Array.from(bytes.subarray(4 * this.#words.length));
    this.#byteLength = bytes.length;
  }

  /** Where it ends when it begins at `at`, else 0. */
  endIn(words: DataView, at: number, end: number): number {
    const after = at + this.#byteLength;
    if (after > end) return 0;
    const expected = this.#words;
    let next = at;
    for (let i = 0; i < expected.length; i++, next += 4) if (words.getInt32(next) !== expected[i]) return 0;
    for (let i = 0; next < after; i++, next++) if (words.getUint8(next) !== this.#tail[i]) return 0;
    return after;
  }
}
