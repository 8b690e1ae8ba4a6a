import { type Long, parseInt32, parseLong } from '../json/long.js';

/** What a header may hold: a value of `T`, its text form, and whether it may be missing. */
export interface HeaderField<T, Presence extends 'required' | 'optional' | 'default' = 'required'> {
  readonly kind: 'string' | 'int' | 'long' | 'boolean' | 'double';
  readonly presence: Presence;
  readonly fallback: T | undefined;
  /** The value of a text, or `undefined` when it is none. */
  parse(text: string): T | undefined;
  /** The text of a value, or `undefined` when it has the wrong type or is out of range. */
  format(value: T): string | undefined;
}

/** A required field that can be made optional, or given a default. */
export interface RequiredHeaderField<T> extends HeaderField<T, 'required'> {
  /** The field may be missing; it is `undefined` then, and not written. */
  optional(): HeaderField<T, 'optional'>;
  /** The field may be missing; it has this value then. Always written. */
  default(value: T): HeaderField<T, 'default'>;
}

type Kind<T> = Pick<HeaderField<T>, 'kind' | 'parse' | 'format'>;

function required<T>(kind: Kind<T>): RequiredHeaderField<T> {
  return {
    ...kind,
    presence: 'required',
    fallback: undefined,
    optional: () => ({ ...kind, presence: 'optional', fallback: undefined }),
    default: (value) => ({ ...kind, presence: 'default', fallback: value }),
  };
}

const DOUBLE = /^[+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;
/** Longer texts are refused unread; Java never writes more than 24 characters. */
const MAX_DOUBLE_TEXT = 512;

/** As Java's `Double.parseDouble`, hexadecimal notation aside. */
function parseDouble(text: string): number | undefined {
  if (text.length > MAX_DOUBLE_TEXT) return undefined;
  const trimmed = text.trim();
  return DOUBLE.test(trimmed) ? Number.parseFloat(trimmed) : undefined;
}

/** As Java's `Double.toString`: always with a decimal point, and with an exponent below 10^-3 and from 10^7 on. */
function formatDouble(value: number): string | undefined {
  if (typeof value !== 'number') return undefined;
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-3 && magnitude < 1e7)) return withPoint(String(value));
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${withPoint(mantissa)}E${Number(exponent)}`;
}

function withPoint(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`;
}

function formatLong(value: Long): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const long = parseLong(String(value));
  return long === undefined ? undefined : String(long);
}

function formatInt(value: number): string | undefined {
  return typeof value === 'number' && value === (value | 0) ? String(value) : undefined;
}

/**
 * The types of header fields, as the reference writes and reads them (remoting 2.9): numbers in decimal, booleans as `true` and
 * `false`, read ignoring case, anything else false. A text that does not parse counts as missing.
 */
export const t = {
  string: (): RequiredHeaderField<string> =>
    required({
      kind: 'string',
      parse: (text) => text,
      format: (value) => (typeof value === 'string' ? value : undefined),
    }),
  /** 32 bits, signed. */
  int: (): RequiredHeaderField<number> =>
    required({
      kind: 'int',
      parse: parseInt32,
      format: formatInt,
    }),
  /** 64 bits, signed: a number where safe, else a bigint. */
  long: (): RequiredHeaderField<Long> =>
    required({
      kind: 'long',
      parse: parseLong,
      format: formatLong,
    }),
  boolean: (): RequiredHeaderField<boolean> =>
    required({
      kind: 'boolean',
      parse: (text) => text.toLowerCase() === 'true',
      format: (value) => (typeof value === 'boolean' ? String(value) : undefined),
    }),
  double: (): RequiredHeaderField<number> =>
    required({
      kind: 'double',
      parse: parseDouble,
      format: formatDouble,
    }),
} as const;
