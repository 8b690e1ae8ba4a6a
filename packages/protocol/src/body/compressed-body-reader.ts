import { constants, inflateSync } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';

/**
 * Inflates one zlib stream, never to more than `maxBytes`.
 *
 * As upstream's decoder, which stops reading when it has what it wants: bytes after the stream are ignored and a missing trailer is
 * accepted, a wrong one refused (reference: nameserver 2.5.2). Hence the sync flush: it makes the end of input no error; what a stream cut
 * short lacks shows when its fields are read.
 *
 * @throws DecodeError when the bytes are no zlib stream or it inflates to more than `maxBytes`
 */
export function inflateBody(bytes: Uint8Array, maxBytes: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new DecodeError(`the compressed body inflates to more than ${maxBytes} bytes`, { cause: error });
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

  /** A field of text: an int32 length and that many bytes of UTF-8. `what` names it in errors. */
  text(what: string): string {
    const length = this.#int32(`the length of ${what}`);
    if (length < 0 || length > this.#left) {
      throw new DecodeError(`the compressed body is cut short: ${what} has ${length} bytes, ${this.#left} are left`);
    }
    const start = this.#offset;
    this.#offset += length;
    return this.#bytes.toString('utf8', start, this.#offset);
  }

  /** A count of fields that follow, each with a length of its own and so at least 4 bytes long. */
  count(what: string): number {
    const count = this.#int32(`the number of ${what}`);
    if (count < 0 || count > this.#left / 4) {
      throw new DecodeError(
        `the compressed body is cut short: it announces ${count} ${what}, ${this.#left} bytes are left`,
      );
    }
    return count;
  }

  get #left(): number {
    return this.#bytes.length - this.#offset;
  }

  #int32(what: string): number {
    if (this.#left < 4) throw new DecodeError(`the compressed body is cut short: it ends before ${what}`);
    const value = this.#bytes.readInt32BE(this.#offset);
    this.#offset += 4;
    return value;
  }
}
