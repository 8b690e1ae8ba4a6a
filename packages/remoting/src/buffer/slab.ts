import { viewOf } from './view.js';

/**
 * So much is allocated at once. Small frames of one turn lie side by side in it, and leave as one piece. Not 128 KiB, from where on malloc asks
 * the system for memory each time.
 */
const SLAB_BYTES = 64 * 1024;
/** Larger ones get memory of their own, or a slab would be left half empty. */
const MAX_SHARE_BYTES = SLAB_BYTES / 8;

/**
 * Memory for frames. A view of a shared slab costs a third of an allocation of its own, and what is allocated one after the other lies so too (see
 * `SocketChannel`). A view keeps its slab from being freed, so this is for what leaves soon.
 */
export class Slab {
  #memory = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #usedBytes = 0;
  /** Of those that are used, how many were not given back. */
  #outBytes = 0;

  /** Memory with undefined content. */
  allocate(byteLength: number): Buffer {
    if (byteLength > MAX_SHARE_BYTES) return Buffer.allocUnsafeSlow(byteLength);
    if (this.#usedBytes + byteLength > SLAB_BYTES) {
      this.#memory = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#usedBytes = 0;
      this.#outBytes = 0;
    }
    const share = viewOf(this.#memory, this.#usedBytes, this.#usedBytes + byteLength);
    this.#usedBytes += byteLength;
    this.#outBytes += byteLength;
    return share;
  }

  /**
   * Gives bytes back that nobody has any more, once and once only. When all are back the same memory is handed out again, which is still in the
   * processor's caches. Bytes that are never given back cost nothing but that: the slab is left to them when it is full. Others are not taken.
   */
  giveBack(bytes: Uint8Array): void {
    if (bytes.buffer !== this.#memory.buffer) return;
    this.#outBytes -= bytes.length;
    if (this.#outBytes === 0) this.#usedBytes = 0;
  }
}

/** For frames that anybody may keep. */
export const sharedSlab = new Slab();

/** For frames that go from the encoder straight to the channel, which gives them back. */
export const leavingSlab = new Slab();
