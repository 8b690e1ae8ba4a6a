import { encodeUtf8 } from '@rmqns/remoting/json';
import { zlibSync } from 'fflate';

/** Puts length-prefixed fields together and deflates them; the counterpart of CompressedBodyReader (reference: nameserver 2.5.2). */
export class CompressedBodyWriter {
  readonly #parts: Uint8Array[] = [];

  /** A field of text: an int32 length and its bytes in UTF-8. */
  text(text: string): this {
    const bytes = encodeUtf8(text);
    this.count(bytes.length);
    this.#parts.push(bytes);
    return this;
  }

  /** A number of fields that follow. */
  count(count: number): this {
    const bytes = Buffer.allocUnsafe(4);
    bytes.writeInt32BE(count);
    this.#parts.push(bytes);
    return this;
  }

  /** All fields as one zlib stream, at level 9 as brokers do. */
  deflate(): Uint8Array {
    return zlibSync(Buffer.concat(this.#parts), { level: 9 });
  }
}
