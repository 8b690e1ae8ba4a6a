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

const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?$/;

/** Java's text of a double keeps a decimal point: `1` is written `1.0`. */
function formatDouble(value: number): string | undefined {
  if (typeof value !== 'number') return undefined;
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text.replace('e+', 'E').replace('e', 'E');
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
      format: (value) => (value === (value | 0) ? String(value) : undefined),
    }),
  /** 64 bits, signed: a number where safe, else a bigint. */
  long: (): RequiredHeaderField<Long> =>
    required({
      kind: 'long',
      parse: parseLong,
      format: (value) => (parseLong(String(value)) === undefined ? undefined : String(value)),
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
      parse: (text) => (DOUBLE.test(text) ? Number.parseFloat(text) : undefined),
      format: formatDouble,
    }),
} as const;
