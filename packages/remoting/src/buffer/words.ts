import { isLent, lentWords } from './read-memory.js';

/** Whoever reads words of what is larger makes a view of their own: the one kept here keeps its memory from being freed. */
export const MAX_WORDS_BYTES = 64 * 1024;

let seen: Buffer = Buffer.alloc(0);
let words = wordsIn(seen);

/**
 * The same bytes as words of any alignment, at the same offsets; for {@link MAX_WORDS_BYTES} at most. The last one is kept, since many frames
 * lie in one chunk.
 */
export function wordsOf(bytes: Buffer): DataView {
  if (isLent(bytes)) return lentWords;
  if (bytes !== seen) {
    seen = bytes;
    words = wordsIn(bytes);
  }
  return words;
}

function wordsIn({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
