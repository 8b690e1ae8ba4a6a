import { DecodeError } from '@rmqns/remoting/command';

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
