import { encodeUtf8 } from '../buffer/utf8.js';
import { DecodeError, RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import type { BodyCodec } from './define-command.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const textCodec: BodyCodec<string> = {
  encode(value) {
    if (typeof value !== 'string')
      throw new RemotingError('ENCODE_FAILED', `the body must be a text, not ${textOfGiven(value)}`);
    return value === '' ? undefined : encodeUtf8(value);
  },
  decode(bytes) {
    if (bytes === undefined) return '';
    try {
      return utf8.decode(bytes);
    } catch {
      throw new DecodeError(`the body of ${bytes.length} bytes is not UTF-8`);
    }
  },
};

/** A body of text in UTF-8; none is the empty text. */
export function text(): BodyCodec<string> {
  return textCodec;
}
