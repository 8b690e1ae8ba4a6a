import { fastJsonParser, type JsonShape, type JsonValue, parseFastJson } from '@rmqns/remoting/json';
import type { Steps } from '../steps.js';
import { decodeUtf8 } from './decode-utf8.js';

/** A topic takes 16 bytes of JSON for each of its values, and a queue mapping some 6; the densest JSON takes 2 for an array. */
const BYTES_PER_VALUE = 12;
/** Small bodies may be as dense as they like. */
const FREE_VALUES = 16_384;

/** Shorter JSON is read in one step. */
const MAX_BYTES_AT_ONCE = 64 * 1024;
/** How much is decoded, and how much is parsed, in one step: a millisecond or two. */
const STEP_BYTES = 128 * 1024;
const STEP_CHARS = 32 * 1024;

/**
 * Reads the JSON of a request, of which the sender is not trusted: it may hold 16,384 values and one for each 12 characters, so that what
 * it takes in memory stays within a small multiple of what was sent. Answers are not read so: who asks a name server trusts it.
 *
 * @throws DecodeError when it is no JSON or holds more values
 */
export function parseRequestJson(text: string): JsonValue {
  return parseFastJson(text, { maxValues: maxValuesOf(text) });
}

/** {@link parseRequestJson} of bytes in steps; of long JSON nothing is made but what is wanted. */
export function* parseRequestJsonInSteps(bytes: Buffer, shape: JsonShape): Steps<JsonValue> {
  if (bytes.length <= MAX_BYTES_AT_ONCE) return parseRequestJson(decodeUtf8(bytes));
  const text = yield* decodeUtf8InSteps(bytes);
  yield;
  const parser = fastJsonParser(text, { maxValues: maxValuesOf(text), shape });
  while (!parser.advance(STEP_CHARS)) yield;
  return parser.value;
}

function maxValuesOf(text: string): number {
  return FREE_VALUES + Math.floor(text.length / BYTES_PER_VALUE);
}

function* decodeUtf8InSteps(bytes: Buffer): Steps<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    pieces.push(decoder.decode(bytes.subarray(at, at + STEP_BYTES), { stream: true }));
    yield;
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}
