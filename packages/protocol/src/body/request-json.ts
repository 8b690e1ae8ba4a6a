import { type JsonValue, parseFastJson } from '@rmqns/remoting/json';

/** A topic takes 16 bytes of JSON for each of its values, and a queue mapping some 6; the densest JSON takes 2 for an array. */
const BYTES_PER_VALUE = 12;
/** Small bodies may be as dense as they like. */
const FREE_VALUES = 16_384;

/**
 * Reads the JSON of a request, of which the sender is not trusted: it may hold 16,384 values and one for each 12 characters, so that what
 * it takes in memory stays within a small multiple of what was sent. Answers are not read so: who asks a name server trusts it.
 *
 * @throws DecodeError when it is no JSON or holds more values
 */
export function parseRequestJson(text: string): JsonValue {
  return parseFastJson(text, { maxValues: FREE_VALUES + Math.floor(text.length / BYTES_PER_VALUE) });
}
