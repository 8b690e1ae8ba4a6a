import { ByteRun } from '../buffer/byte-run.js';
import { MAX_WORDS_BYTES, wordsOf } from '../buffer/words.js';

/** Slots; a power of two. A text has two that it may lie in, next to each other; of three that lead there the oldest gives way. */
const SLOTS = 4096;
/** Longer ones are not kept; with all slots full that makes 3 MB at most. */
const MAX_TEXT_BYTES = 256;

interface KnownText {
  readonly run: ByteRun;
  readonly byteLength: number;
  readonly text: string;
}

/**
 * Texts that come again and again: the same bytes give the same string, found by comparing them where they lie. To make a string of them
 * each time costs more than the rest of reading a request, and its use as a key once more.
 */
export class KnownTexts {
  readonly #slots: (KnownText | undefined)[] = new Array<KnownText | undefined>(SLOTS).fill(undefined);
  /** Strings that were made. */
  made = 0;

  /** The text of the ASCII bytes from `start` to `end`. */
  in(bytes: Buffer, start: number, end: number): string {
    const byteLength = end - start;
    if (byteLength > MAX_TEXT_BYTES || bytes.length > MAX_WORDS_BYTES) return this.#make(bytes, start, end);
    const words = wordsOf(bytes);
    const slot = slotOf(words, start, end);
    const known = this.#slots[slot];
    if (known !== undefined && isAt(known, words, start, end)) return known.text;
    const other = this.#slots[slot ^ 1];
    if (other !== undefined && isAt(other, words, start, end)) return other.text;
    const text = this.#make(bytes, start, end);
    if (known !== undefined) this.#slots[slot ^ 1] = known;
    this.#slots[slot] = { run: new ByteRun(bytes.subarray(start, end)), byteLength, text };
    return text;
  }

  #make(bytes: Buffer, start: number, end: number): string {
    this.made++;
    return bytes.toString('latin1', start, end);
  }
}

function isAt({ run, byteLength }: KnownText, words: DataView, start: number, end: number): boolean {
  return byteLength === end - start && run.endIn(words, start, end) === end;
}

function slotOf(words: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ words.getInt32(at), 0x9e3779b1) ^ (hash >>> 15);
  for (; at < end; at++) hash = Math.imul(hash ^ words.getUint8(at), 0x85ebca6b) ^ (hash >>> 15);
  return Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35) >>> 20;
}
