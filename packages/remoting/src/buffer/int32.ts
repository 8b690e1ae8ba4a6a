// Big-endian integers of 32 bits, as Java writes them. By hand, since the checks of Buffer's own methods cost more than the work; whoever
// calls these has made sure that four bytes are there.

export function readInt32(from: Uint8Array, at: number): number {
  return (
    ((from[at] as number) << 24) |
    ((from[at + 1] as number) << 16) |
    ((from[at + 2] as number) << 8) |
    (from[at + 3] as number)
  );
}

/** Also takes what an unsigned one can hold. */
export function writeInt32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}
