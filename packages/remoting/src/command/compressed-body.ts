import { deflateSync, inflateSync } from 'node:zlib';
import { DecodeError, RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import type { BodyCodec } from './define-command.js';

export interface CompressedBodyOptions {
  /** Bodies below this many bytes are put into the same format without the effort of compression; default 4096 [compressMsgBodyOverHowmuch]. */
  readonly thresholdBytes?: number | undefined;
  /** 1, fast, to 9, small; default 5 [zipCompressLevel]. */
  readonly level?: number | undefined;
  /** The most that a body may inflate to; default 16,777,216. */
  readonly maxBytes?: number | undefined;
}

/**
 * A body that travels as a zlib stream (RFC 1950), as Java's `Deflater` writes it and upstream's `UtilAll.compress` does. All bodies are such
 * streams, also small ones, so the receiver needs no sign of whether one is. Work is done at once, in the turn that sends or receives:
 * some 10 ms for each MiB.
 *
 * @throws RemotingError `INVALID_ARGUMENT` for options that cannot be. When decoding, DecodeError for bytes that are no whole stream, that
 * go on behind it, or that inflate to more than `maxBytes`; no more than that is ever allocated
 */
export function compressed<T>(inner: BodyCodec<T>, options: CompressedBodyOptions = {}): BodyCodec<T> {
  const { thresholdBytes = 4096, level = 5, maxBytes = 16 * 1024 * 1024 } = options;
  requireInteger('thresholdBytes', thresholdBytes, 0, 0x7fffffff);
  requireInteger('level', level, 1, 9);
  requireInteger('maxBytes', maxBytes, 1, 0x7fffffff);
  return {
    encode(value) {
      const bytes = inner.encode(value);
      if (bytes === undefined || bytes.length === 0) return undefined;
      return deflateSync(bytes, { level: bytes.length < thresholdBytes ? 0 : level });
    },
    decode: (bytes) => inner.decode(bytes === undefined ? undefined : inflate(bytes, maxBytes)),
  };
}

function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  let inflated: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    // With `info` the result says where the stream ended; the types do not know of it.
    inflated = inflateSync(bytes, { maxOutputLength: maxBytes, info: true }) as unknown as typeof inflated;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new DecodeError(`the compressed body of ${bytes.length} bytes inflates to more than ${maxBytes}`);
    throw new DecodeError(`the body of ${bytes.length} bytes is no zlib stream: ${(error as Error).message}`);
  }
  const behind = bytes.length - inflated.engine.bytesWritten;
  if (behind > 0) throw new DecodeError(`the body has ${behind} bytes behind its zlib stream`);
  return inflated.buffer.length === 0 ? undefined : inflated.buffer;
}

function requireInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RemotingError(
    'INVALID_ARGUMENT',
    `${name} must be an integer from ${min} to ${max}, not ${textOfGiven(value)}`,
  );
}
