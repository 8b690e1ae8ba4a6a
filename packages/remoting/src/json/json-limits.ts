import { MAX_JSON_DEPTH } from './json-value.js';

/**
 * Whether a text that is strict JSON nests deeper than arrays and objects may, or may hold more than `maxValues` values. The native parser
 * knows neither limit: it takes some 50 bytes for each level before it finds that a text of nothing but brackets is unfinished, and more
 * for each of the many objects that a few bytes can announce.
 *
 * The depth is exact for every prefix that is strict JSON, so the native parser never gets deeper than this saw. Of values at least as many
 * are counted as there are: each follows a comma or an opening bracket, or is the first; a bracket that closes at once counts too often.
 */
export function mayExceedLimits(text: string, maxValues: number): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = closingQuote(text, at);
    } else if (char === 0x2c) {
      if (++values > maxValues) return true;
    } else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_JSON_DEPTH || ++values > maxValues) return true;
    } else if (char === 0x7d || char === 0x5d) {
      depth--;
    }
  }
  return values > maxValues;
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
