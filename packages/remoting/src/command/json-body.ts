import { DecodeError, RemotingError, textOfThrown } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import type { BodyCodec } from './define-command.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A body of JSON text in UTF-8.
 *
 * @param validate makes a `T` of what was parsed, or throws; without it whatever the other side sent counts as a `T`. A schema's `parse`,
 * as zod has it, fits.
 * @throws DecodeError when there is no body, it is no JSON, or `validate` refused it; `ENCODE_FAILED` for a value that JSON does not have,
 * such as a bigint. No message holds a part of the body but what `validate` put into its own.
 */
export function json<T>(validate?: (value: unknown) => T): BodyCodec<T> {
  return {
    encode(value) {
      let text: string | undefined;
      try {
        text = JSON.stringify(value);
      } catch (error) {
        throw new RemotingError('ENCODE_FAILED', `the body cannot be written as JSON: ${textOfThrown(error)}`);
      }
      if (text === undefined)
        throw new RemotingError('ENCODE_FAILED', `the body cannot be written as JSON: it is ${textOfGiven(value)}`);
      return Buffer.from(text);
    },
    decode(bytes) {
      if (bytes === undefined) throw new DecodeError('the JSON body is missing');
      let value: unknown;
      try {
        value = JSON.parse(utf8.decode(bytes));
      } catch {
        // Without the cause, which quotes the body.
        throw new DecodeError(`the body of ${bytes.length} bytes is not JSON`);
      }
      if (validate === undefined) return value as T;
      try {
        return validate(value);
      } catch (error) {
        throw new DecodeError(`the JSON body is not what it should be: ${textOfThrown(error)}`, { cause: error });
      }
    },
  };
}
