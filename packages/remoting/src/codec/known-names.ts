/** Slots; a power of two. A name takes the place of another one whose bytes lead to the same slot. */
const SLOTS = 64;
/** Longer ones are no names of fields that come with every request. */
const MAX_NAME_BYTES = 64;

interface KnownName {
  readonly bytes: Buffer;
  readonly name: string;
}

const known: (KnownName | undefined)[] = new Array<KnownName | undefined>(SLOTS).fill(undefined);

/**
 * The text of an ASCII name that lies in bytes from `start` to `end`. The names of ext fields are the same from one request to the next, and
 * a string that is new each time costs an object that takes it as a key far more than comparing a few bytes does.
 */
export function nameIn(bytes: Buffer, start: number, end: number): string {
  const byteLength = end - start;
  if (byteLength === 0 || byteLength > MAX_NAME_BYTES) return bytes.toString('latin1', start, end);
  const slot = (byteLength * 31 + (bytes[start] as number) * 7 + (bytes[end - 1] as number)) & (SLOTS - 1);
  const entry = known[slot];
  if (entry !== undefined && isSame(entry.bytes, bytes, start, byteLength)) return entry.name;
  // As the key of an object a string becomes the one that stands for all equal ones.
  const name = Object.keys({ [bytes.toString('latin1', start, end)]: true })[0] ?? '';
  known[slot] = { bytes: Buffer.from(bytes.subarray(start, end)), name };
  return name;
}

function isSame(expected: Buffer, bytes: Buffer, start: number, byteLength: number): boolean {
  if (expected.length !== byteLength) return false;
  for (let i = 0; i < byteLength; i++) if (expected[i] !== bytes[start + i]) return false;
  return true;
}
