import { ResponseCode } from '@rmqns/protocol';
import { CommandError } from '@rmqns/remoting';

type Fields = Readonly<Record<string, string | undefined>>;

/** With the flag u a half pair is a code point of its own. */
const HALF_PAIR = /\p{Surrogate}/u;

/**
 * Refuses names that name nothing: empty ones, and those that no UTF-8 can carry.
 *
 * @throws CommandError code 1
 */
export function refuseNoNames(fields: Fields): void {
  for (const [name, text] of Object.entries(fields)) {
    if (text === '') throw new CommandError(ResponseCode.SYSTEM_ERROR, `the custom field <${name}> is empty`);
  }
  refuseHalfPairs(fields);
}

/**
 * Refuses texts with half a surrogate pair, which would come back as another text from a file or an answer.
 *
 * @throws CommandError code 1
 */
export function refuseHalfPairs(fields: Fields): void {
  for (const [name, text] of Object.entries(fields)) {
    if (text === undefined || !HALF_PAIR.test(text)) continue;
    throw new CommandError(ResponseCode.SYSTEM_ERROR, `the custom field <${name}> holds half a surrogate pair`);
  }
}
