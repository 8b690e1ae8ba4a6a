import { FastJsonParser } from './fast-json-parser.js';
import { type JsonValue, MAX_JSON_DEPTH } from './json-value.js';

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
 * Time is linear in the length of the text; what lies deeper than 256 arrays and objects, or has more than 1000 digits, is refused.
 *
 * @throws DecodeError with the position and what was found there
 */
export function parseFastJson(text: string): JsonValue {
  if (isForNative(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // Not strict JSON: the lenient parser accepts it, or says what is wrong with it.
    }
  }
  return new FastJsonParser(text).parse();
}

function isForNative(text: string): boolean {
  // A level costs two characters at least.
  return !NOT_FOR_NATIVE.test(text) && (text.length <= 2 * MAX_JSON_DEPTH || !isDeep(text));
}

/**
 * Whether a text that is strict JSON nests deeper than the limit. The native parser has no such limit and takes some 50 bytes for each
 * level before it finds that a text of nothing but brackets is unfinished. Exact for every prefix that is strict JSON, so the native
 * parser never gets deeper than this saw.
 */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = closingQuote(text, at);
    } else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (char === 0x7d || char === 0x5d) {
      depth--;
    }
  }
  return false;
}

function closingQuote(text: string, open: number): number {
  let at = open + 1;
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at++;
    else if (char === 0x22) break;
  }
  return at;
}
