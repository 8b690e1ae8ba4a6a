import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import { type JsonDialect, quoteJson } from './escape-json.js';
import { MAX_JSON_DEPTH } from './json-value.js';

/** The key of a Java map. */
export type JsonKey = string | number | bigint | null;

/**
 * What can be written: primitives, arrays (Java lists and sets), Maps with keys of {@link JsonKey} (Java maps), and objects, whose own
 * enumerable properties are those of a Java bean. Functions, symbols and binary data are refused when met.
 */
export type JsonWritable = null | undefined | boolean | string | number | bigint | object;

/**
 * Writes JSON as fastjson does (reference: nameserver 2.7 and 8.2). Properties of a bean are in alphabetical order. A null or undefined
 * property or map value is left out; in a list it is `null`; numbers that are not finite are `null` too.
 *
 * The text may hold unpaired surrogates in the legacy dialect; turn it into bytes with `encodeUtf8`, as Java would.
 *
 * @throws RemotingError `ENCODE_FAILED` for a value of another kind, and for one nested deeper than 256, as a cycle is
 */
export function writeFastJson(value: JsonWritable, dialect: JsonDialect): string {
  return write(value, dialect, 0);
}

function write(value: unknown, dialect: JsonDialect, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value, dialect);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'bigint':
      return writeBigint(value, dialect);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return 'null';
    case 'object':
      return value === null ? 'null' : writeObject(value, dialect, depth + 1);
    default:
      throw new RemotingError('ENCODE_FAILED', `a ${typeof value} has no JSON form; write a plain value instead`);
  }
}

/** A number that is no safe integer is a double of Java, only a bigint can be a `long` that browsers would round. */
function writeBigint(value: bigint, dialect: JsonDialect): string {
  const isSafe = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  return dialect === 'standard' && !isSafe ? `"${value}"` : String(value);
}

function writeObject(value: object, dialect: JsonDialect, depth: number): string {
  if (depth > MAX_JSON_DEPTH) {
    throw new RemotingError(
      'ENCODE_FAILED',
      `a value nested more than ${MAX_JSON_DEPTH} deep cannot be written as JSON; look for a cycle`,
    );
  }
  if (Array.isArray(value)) return writeArray(value, dialect, depth);
  if (value instanceof Map) return writeMap(value, dialect, depth);
  if (ArrayBuffer.isView(value))
    throw new RemotingError('ENCODE_FAILED', 'binary data has no JSON form; write its text instead');
  return writeBean(value as Readonly<Record<string, unknown>>, dialect, depth);
}

function writeArray(array: readonly unknown[], dialect: JsonDialect, depth: number): string {
  let result = '[';
  let separator = '';
  for (const item of array) {
    result += separator + write(item, dialect, depth);
    separator = ',';
  }
  return `${result}]`;
}

function writeBean(bean: Readonly<Record<string, unknown>>, dialect: JsonDialect, depth: number): string {
  let result = '{';
  let separator = '';
  for (const name of sortedNames(bean)) {
    const value = bean[name];
    if (value === undefined || value === null) continue;
    result += `${separator}${quoteJson(name, dialect)}:${write(value, dialect, depth)}`;
    separator = ',';
  }
  return `${result}}`;
}

/** Most beans are made with their properties in order: looking is cheaper than sorting. */
function sortedNames(bean: object): readonly string[] {
  const names = Object.keys(bean);
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] as string) > (names[i] as string)) return names.sort();
  }
  return names;
}

function writeMap(map: ReadonlyMap<unknown, unknown>, dialect: JsonDialect, depth: number): string {
  const entries = dialect === 'legacy' ? map : [...map].sort(([left], [right]) => compareKeys(left, right));
  let result = '{';
  let separator = '';
  for (const [key, value] of entries) {
    if (value === undefined || value === null) continue;
    result += `${separator}${writeKey(key, dialect)}:${write(value, dialect, depth)}`;
    separator = ',';
  }
  return `${result}}`;
}

function writeKey(key: unknown, dialect: JsonDialect): string {
  if (typeof key === 'string') return quoteJson(key, dialect);
  if (key === null || typeof key === 'bigint' || (typeof key === 'number' && Number.isFinite(key)))
    return dialect === 'legacy' ? String(key) : `"${key}"`;
  throw new RemotingError('ENCODE_FAILED', `a map key must be a string, a number or null, not ${textOfGiven(key)}`);
}

/** null, then numbers by value, then strings by UTF-16 code units, as Java's `compareTo`. */
function compareKeys(left: unknown, right: unknown): number {
  const rank = keyRank(left) - keyRank(right);
  if (rank !== 0 || left === right) return rank;
  return (left as string) < (right as string) ? -1 : 1;
}

function keyRank(key: unknown): number {
  return key === null ? 0 : typeof key === 'string' ? 2 : 1;
}
