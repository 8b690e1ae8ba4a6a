import { FastJsonParser } from './fast-json-parser.js';
import { mayExceedLimits } from './json-limits.js';
import type { JsonShape } from './json-shape.js';
import { type JsonValue, MAX_JSON_DEPTH } from './json-value.js';

export interface ParseFastJsonOptions {
  /**
   * A text that holds more values than that is refused before they take memory: primitives, arrays and objects count, each once, names do
   * not. An object costs some hundred bytes of memory and two bytes of text. Default: no limit.
   */
  readonly maxValues?: number | undefined;
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * A number that the native parser would read otherwise than we do: an integer of 16 digits and more loses digits there, and `-0` keeps
 * its sign. A match inside a string does no harm, it only leads to the slower parser.
 */
const NOT_FOR_NATIVE = /(?:^|[:,[\s])(?:\d{16}|-(?:0|\d{16}))/;

/**
 * Reads JSON as fastjson does, the parser of the reference implementation (reference: nameserver 8.1). Beyond strict JSON it accepts names
 * without quotes (identifiers, numbers, `null`), apostrophes for quotes, comments, surplus commas, leading zeros, `+1`, `1.`,
 * `NaN` (read as null), the escapes `\x41`, `\v`, `\'` and `\0` to `\7`, and control characters in strings. Of two members with the same
 * name the last one wins. Blank text is null.
 *
 * A byte order mark before the text is skipped. Time is linear in the length of the text; what lies deeper than 256 arrays and objects, or
 * has more than 1000 digits, is refused.
 *
 * @throws DecodeError with the position and what was found there
 */
export function parseFastJson(marked: string, { maxValues = Infinity }: ParseFastJsonOptions = {}): JsonValue {
  const text = unmarked(marked);
  if (isForNative(text, maxValues)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // Not strict JSON: the lenient parser accepts it, or says what is wrong with it.
    }
  }
  return new FastJsonParser(text, maxValues).parse();
}

export interface FastJsonParserOptions extends ParseFastJsonOptions {
  /** What is wanted of the value: the rest is not made. Default: all. */
  readonly shape?: JsonShape | undefined;
}

/** A parser that reads what {@link parseFastJson} reads, in as many steps as one likes. */
export function fastJsonParser(marked: string, { maxValues, shape }: FastJsonParserOptions = {}): FastJsonParser {
  return new FastJsonParser(unmarked(marked), maxValues, shape);
}

function unmarked(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function isForNative(text: string, maxValues: number): boolean {
  if (NOT_FOR_NATIVE.test(text)) return false;
  // A level costs two characters at least, a value one.
  return text.length <= Math.min(2 * MAX_JSON_DEPTH, maxValues) || !mayExceedLimits(text, maxValues);
}
