/** The class that `subarray` makes Buffers of. Its name is not public, but each species is. */
const View = (
  Buffer as unknown as { readonly [Symbol.species]: new (...at: [ArrayBufferLike, number, number]) => Buffer }
)[Symbol.species];

/** As `bytes.subarray(start, end)` for bounds that are known to be good: checking them costs more than making the view. */
export function viewOf(bytes: Buffer, start: number, end: number): Buffer {
  return new View(bytes.buffer, bytes.byteOffset + start, end - start);
}
