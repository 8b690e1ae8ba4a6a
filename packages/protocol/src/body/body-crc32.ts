import * as zlib from 'node:zlib';
import crc32 from 'crc-32';

/** From here on the call into native code costs less than it saves. */
const NATIVE_MIN_BYTES = 4096;
/** Missing from Node before 20.15. */
const nativeCrc32: typeof zlib.crc32 | undefined = zlib.crc32;

/**
 * The checksum of a body as sent, compressed or not: CRC-32 as zlib's, without its top bit; 0 of no body (upstream: `UtilAll.crc32`;
 * reference: nameserver 2.5). A header that says 0 asks for no check.
 */
export function bodyCrc32(body: Uint8Array | undefined): number {
  return body === undefined ? 0 : withoutTopBit(crc32Of(body));
}

/** CRC-32 as zlib's, as a signed number; `before` is that of the bytes before these. */
export function crc32Of(bytes: Uint8Array, before = 0): number {
  if (bytes.length < NATIVE_MIN_BYTES || nativeCrc32 === undefined) return crc32.buf(bytes, before);
  return nativeCrc32(bytes, before >>> 0) | 0;
}

/** What a header's `bodyCrc32` holds of a CRC-32. */
export function withoutTopBit(crc: number): number {
  return crc & 0x7fffffff;
}

/** The polynomial of CRC-32, lowest power in the top bit; so are all polynomials here. */
const POLYNOMIAL = 0xedb88320;
/** x to the power of 8 * 2^n modulo the polynomial: what n doublings of one byte multiply a checksum with. */
const POWERS = powersOfOneByte();

/** CRC-32 of two pieces in a row, out of that of each and the length of the second; signed. */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let shifted = first;
  for (let n = 0, left = secondBytes; left > 0; n++, left = Math.floor(left / 2)) {
    if (left % 2 === 1) shifted = multiply(POWERS[n] ?? 0, shifted);
  }
  return shifted ^ second;
}

function powersOfOneByte(): number[] {
  let power = 1 << 23; // x^8
  const powers: number[] = [];
  for (let n = 0; n < 53; n++) {
    powers.push(power);
    power = multiply(power, power);
  }
  return powers;
}

/** The product of two polynomials modulo {@link POLYNOMIAL}. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit--) {
    if (((a >>> bit) & 1) === 1) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}
