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
  if (body === undefined || body.length === 0) return 0;
  const crc = body.length >= NATIVE_MIN_BYTES && nativeCrc32 !== undefined ? nativeCrc32(body) : crc32.buf(body);
  return crc & 0x7fffffff;
}
