import { viewOf } from './view.js';

/**
 * So much is allocated at once. Small frames of one turn lie side by side in it, and leave as one piece. Not 128 KiB, from where on malloc asks
 * the system for memory each time.
 */
const SLAB_BYTES = 64 * 1024;
/** Larger ones get memory of their own, or a slab would be left half empty. */
const MAX_SHARE_BYTES = SLAB_BYTES / 8;

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let used = 0;

/**
 * Memory for a frame, with undefined content. A view of a shared slab costs a third of an allocation of its own, and what is allocated one
 * after the other lies so too (see `SocketChannel`). A view keeps its slab from being freed, so this is for what leaves soon.
 */
export function allocateShare(byteLength: number): Buffer {
  if (byteLength > MAX_SHARE_BYTES) return Buffer.allocUnsafeSlow(byteLength);
  if (used + byteLength > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const share = viewOf(slab, used, used + byteLength);
  used += byteLength;
  return share;
}
