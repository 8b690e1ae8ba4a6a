/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const BARE_NAME = /([{,])(-?\d+|null):/y;
const LONG_INTEGER = /-?\d{16,}(?![\d.eE])/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;

/**
 * Parses JSON in which member names may be bare integers, as old releases write broker ids (`{0:"127.0.0.1:10911"}`). Integers that a
 * number cannot hold exactly become texts.
 */
export function parseLenientJson(text: string): Json {
  let strict = '';
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const string = take(STRING);
    if (string !== null) {
      strict += string[0];
      at += string[0].length;
      continue;
    }
    const bare = take(BARE_NAME);
    if (bare !== null) {
      strict += `${bare[1]}"${bare[2]}":`;
      at += bare[0].length;
      continue;
    }
    const long = take(LONG_INTEGER);
    const token = long?.[0] ?? text.charAt(at);
    strict += long === null || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
    at += token.length;
  }
  return JSON.parse(strict) as Json;
}

/** Whether any member name is a bare integer. */
export function hasBareNames(text: string): boolean {
  return /[{,]-?\d+:/.test(text);
}

/** The same value with the members of objects and the items of lists in a fixed order, for comparing what comes from hash maps. */
export function canonicalJson(value: Json): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => canonicalJson(item));
    return items
      .map((item) => ({ item, key: JSON.stringify(item) }))
      .sort(byKey)
      .map(({ item }) => item);
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([key, member]) => ({ key, member: canonicalJson(member) }));
    return Object.fromEntries(members.sort(byKey).map(({ key, member }) => [key, member]));
  }
  return value;
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
