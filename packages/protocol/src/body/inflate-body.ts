import { promisify } from 'node:util';
import { constants, inflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';

/**
 * Brokers' bodies inflate 6 to 30 times, those of 100,000 topics with the longest names that differ only in a number 56 times; zlib's
 * limit is some 1000.
 */
const MAX_RATIO = 100;
/** Small bodies may inflate as much as they can. */
const FREE_BYTES = 1024 * 1024;
/** What the thread hands over at a time. */
const CHUNK_BYTES = 256 * 1024;

const inflateAsync = promisify<Uint8Array, ZlibOptions, Buffer>(inflate);

/**
 * Inflates one zlib stream: never to more than `maxBytes`, nor to more than 1 MiB and 100 times what was sent.
 *
 * As upstream's decoder, which stops reading when it has what it wants: bytes after the stream are ignored and a missing trailer is
 * accepted, a wrong one refused (reference: nameserver 2.5.2). Hence the sync flush: it makes the end of input no error; what a stream cut
 * short lacks shows when its fields are read.
 *
 * @throws DecodeError when the bytes are no zlib stream or it inflates to more
 */
export function inflateBody(bytes: Uint8Array, maxBytes: number): Buffer {
  const maxOutputLength = maxInflatedBytesOf(bytes, maxBytes);
  try {
    return inflateSync(bytes, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw inflateError(error, bytes, maxOutputLength);
  }
}

/** {@link inflateBody} on another thread, which keeps nobody here waiting; `bytes` are not to change meanwhile. */
export async function inflateBodyOnThread(bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  const maxOutputLength = maxInflatedBytesOf(bytes, maxBytes);
  const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: CHUNK_BYTES };
  try {
    return await inflateAsync(bytes, options);
  } catch (error) {
    throw inflateError(error, bytes, maxOutputLength);
  }
}

function maxInflatedBytesOf(bytes: Uint8Array, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(FREE_BYTES, MAX_RATIO * bytes.length));
}

function inflateError(error: unknown, { length }: Uint8Array, maxInflatedBytes: number): DecodeError {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
    return new DecodeError(`the compressed body of ${length} bytes inflates to more than ${maxInflatedBytes} bytes`, {
      cause: error,
    });
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new DecodeError(`the compressed body is no zlib stream: ${detail}`, { cause: error });
}
