/** A hash of 64 bits of a slice of bytes, in two halves. Made once and used again: a slice must cost no object. Not for secrets. */
export class SliceHash {
  /** 32 bits, signed. */
  low = 0;
  /** 32 bits, signed. */
  high = 0;

  /** Hashes the bytes from `start` up to `end`, four at a time wherever they begin. */
  update(view: DataView, start: number, end: number): this {
    let low = 0x2545f491;
    let high = 0x61c88647;
    let at = start;
    for (const lastWord = end - 4; at <= lastWord; at += 4) {
      const word = view.getInt32(at, true);
      low = Math.imul(low ^ word, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(((high << 7) | (high >>> 25)) ^ word, 0x85ebca6b);
    }
    for (; at < end; at++) {
      const byte = view.getUint8(at);
      low = Math.imul(low ^ byte, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(((high << 7) | (high >>> 25)) ^ byte, 0x85ebca6b);
    }
    const length = end - start;
    this.low = mixed(low ^ length);
    this.high = mixed(high + length);
    return this;
  }
}

/** Spreads each bit over all. */
function mixed(half: number): number {
  let bits = Math.imul(half ^ (half >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return bits ^ (bits >>> 16);
}
