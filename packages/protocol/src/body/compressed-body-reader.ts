import { constants, inflateSync } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';

/**
 * Brokers' bodies inflate 6 to 30 times, those of 100,000 topics with the longest names that differ only in a number 56 times; zlib's
 * limit is some 1000.
 */
const MAX_RATIO = 100;
/** Small bodies may inflate as much as they can. */
const FREE_BYTES = 1024 * 1024;

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
  const limit = Math.min(maxBytes, Math.max(FREE_BYTES, MAX_RATIO * bytes.length));
  try {
    return inflateSync(bytes, { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new DecodeError(`the compressed body of ${bytes.length} bytes inflates to more than ${limit} bytes`, {
        cause: error,
      });
    }
    const detail = error instanceof Error ? error.message : String(error);
    throw new DecodeError(`the compressed body is no zlib stream: ${detail}`, { cause: error });
  }
}

/** Takes length-prefixed fields off an inflated body. Every length and count is checked against what is left before it is believed. */
export class CompressedBodyReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A field of text: an int32 length and that many bytes of UTF-8. `what` names it in errors; longer than `maxBytes` it is refused. */
  text(what: string, maxBytes = Infinity): string {
    const length = this.#int32('length', what);
    if (length < 0 || length > this.#left) {
      throw new DecodeError(`the compressed body is cut short: ${what} has ${length} bytes, ${this.#left} are left`);
    }
    if (length > maxBytes) {
      throw new DecodeError(`the compressed body is refused: ${what} has ${length} bytes, more than ${maxBytes}`);
    }
    const start = this.#offset;
    this.#offset += length;
    return this.#bytes.toString('utf8', start, this.#offset);
  }

  /** A count of fields that follow, each with a length of its own and so at least 4 bytes long; more than `max` are refused. */
  count(what: string, max = Infinity): number {
    const count = this.#int32('number', what);
    if (count < 0 || count > this.#left / 4) {
      throw new DecodeError(
        `the compressed body is cut short: it announces ${count} ${what}, ${this.#left} bytes are left`,
      );
    }
    if (count > max) {
      throw new DecodeError(`the compressed body is refused: it announces ${count} ${what}, more than ${max}`);
    }
    return count;
  }

  get #left(): number {
    return this.#bytes.length - this.#offset;
  }

  #int32(kind: 'length' | 'number', what: string): number {
    if (this.#left < 4)
      throw new DecodeError(`the compressed body is cut short: it ends before the ${kind} of ${what}`);
    const value = this.#bytes.readInt32BE(this.#offset);
    this.#offset += 4;
    return value;
  }
}
