/**
 * How fastjson turns a JSON value into the property of a Java bean (reference: nameserver 2.5.1, remoting 2.2). `undefined` in or out
 * means: nothing there, keep the default. `name` is the property's, for the error.
 */

import { DecodeError } from '../errors.js';
import type { JsonObject, JsonValue } from './json-value.js';
import { type Long, parseInt32, parseLong, toLong } from './long.js';
import { quoteForPeople } from './quote-for-people.js';
import { writeFastJson } from './write-fast-json.js';

type Maybe = JsonValue | undefined;

/**
 * A Java `int`. A number loses its fraction (6.9 is 6), true is 1, false 0; a text must be a decimal integer, in which commas and a fraction
 * of zeros do not count (`"1,000"`, `"6.0"`); `""`, `"null"` and null leave the default.
 *
 * @throws DecodeError for any other text, for arrays and objects, and outside 32 bits
 */
export function toInt32(value: Maybe, name: string): number | undefined {
  if (isNothing(value)) return undefined;
  const number = typeof value === 'string' ? parseInt32(plainInteger(value)) : truncate(value);
  if (typeof number !== 'number' || number !== (number | 0)) throw wrong(value, name, 'a 32-bit integer');
  return number;
}

/**
 * A Java `long`, exact, in the canonical form of {@link Long}; otherwise as {@link toInt32}.
 *
 * @throws DecodeError for any other text, for arrays and objects, and outside 64 bits
 */
export function toLongValue(value: Maybe, name: string): Long | undefined {
  if (isNothing(value)) return undefined;
  const long = typeof value === 'string' ? parseLong(value) : truncate(value);
  if (long === undefined) throw wrong(value, name, 'a 64-bit integer');
  return long;
}

const TRUE_TEXTS: readonly string[] = ['true', '1', 'y', 't'];
const FALSE_TEXTS: readonly string[] = ['false', '0', 'n', 'f'];

/**
 * A Java `boolean`. A number is true when it is 1, without its fraction; of texts, ignoring case, `true`, `1`, `Y`, `T` and `false`, `0`, `N`, `F` are known;
 * `""`, `"null"` and null leave the default.
 *
 * @throws DecodeError for any other text, for arrays and objects, and for integers outside 32 bits
 */
export function toBoolean(value: Maybe, name: string): boolean | undefined {
  if (isNothing(value)) return undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && !(Number.isInteger(value) && value !== (value | 0))) return truncate(value) === 1;
  if (typeof value === 'string' && value.length <= 5) {
    const text = value.toLowerCase();
    if (TRUE_TEXTS.includes(text)) return true;
    if (FALSE_TEXTS.includes(text)) return false;
  }
  throw wrong(value, name, 'a boolean');
}

/**
 * A Java `String`: numbers and booleans as they print, arrays and objects as their JSON text. `undefined` when missing; null stays null,
 * as it does in Java, where a String has no default of its own to keep.
 */
export function toText(value: JsonValue): string | null;
export function toText(value: Maybe): string | null | undefined;
export function toText(value: Maybe): string | null | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? writeFastJson(value, 'legacy') : String(value);
}

/**
 * A Java object or map. null, `[]` and `""` are read as null; missing is `undefined`.
 *
 * @throws DecodeError for any other value
 */
export function toObject(value: Maybe, name: string): JsonObject | null | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '' || value === 'null') return null;
  if (Array.isArray(value) && value.length === 0) return null;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong(value, name, 'an object');
  return value as JsonObject;
}

/**
 * A Java list. null and `""` are read as null; missing is `undefined`.
 *
 * @throws DecodeError for any other value
 */
export function toArray(value: Maybe, name: string): readonly JsonValue[] | null | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '' || value === 'null') return null;
  if (!Array.isArray(value)) throw wrong(value, name, 'an array');
  return value as readonly JsonValue[];
}

/** A text of 64 characters and more is no number that fits. */
function plainInteger(text: string): string {
  return text.length > 64 ? text : text.replaceAll(',', '').replace(/\.0*$/, '');
}

function isNothing(value: Maybe): value is undefined | null | '' | 'null' {
  return value === undefined || value === null || value === '' || value === 'null' || value === 'NULL';
}

/** The integer of a value that is no text, 64 bits, canonical; else undefined. */
function truncate(value: JsonValue): Long | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return toLong(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  // Adding 0 turns -0 into 0.
  const integer = Math.trunc(value) + 0;
  return Number.isSafeInteger(integer) ? integer : toLong(BigInt(integer));
}

function wrong(value: JsonValue, name: string, expected: string): DecodeError {
  const found =
    typeof value === 'string'
      ? quoteForPeople(value)
      : typeof value === 'object'
        ? Array.isArray(value)
          ? 'an array'
          : 'an object'
        : String(value).slice(0, 32);
  return new DecodeError(`the JSON property ${name} should be ${expected} but is ${found}`);
}
