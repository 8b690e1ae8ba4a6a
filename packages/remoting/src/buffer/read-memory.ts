import { viewOf } from './view.js';

/** As much as Node reads at once into memory of its own. */
const READ_BYTES = 64 * 1024;
/** Views of so many lengths are kept: requests of one kind come in chunks of few lengths. */
const KEPT_VIEWS = 64;

/**
 * Where all sockets of this process read to, one after the other. Node would allocate 64 KiB for each read, of which a request takes some
 * hundred bytes; to allocate, shrink and collect them costs more than a lookup.
 */
export const readMemory = Buffer.allocUnsafeSlow(READ_BYTES);

const views: (Buffer | undefined)[] = new Array(KEPT_VIEWS).fill(undefined);

/** The first bytes of {@link readMemory}, which are lent: the next read of any socket overwrites them. */
export function lentBytes(byteLength: number): Buffer {
  const at = byteLength % KEPT_VIEWS;
  const kept = views[at];
  if (kept !== undefined && kept.length === byteLength) return kept;
  const view = viewOf(readMemory, 0, byteLength);
  views[at] = view;
  return view;
}

/** Whether the bytes are lent, and so have to be copied by whoever keeps them. */
export function isLent(bytes: Uint8Array): boolean {
  return bytes.buffer === readMemory.buffer;
}

/** All of it as words, at the same offsets as in {@link lentBytes}. */
export const lentWords = new DataView(readMemory.buffer, readMemory.byteOffset, READ_BYTES);

/** A copy that may be kept, of `bytes` from `start` on. */
export function ownCopy(bytes: Buffer, start = 0): Buffer {
  const copy = Buffer.allocUnsafe(bytes.length - start);
  copy.set(start === 0 ? bytes : viewOf(bytes, start, bytes.length));
  return copy;
}
