/**
 * A Java `long`, exact: a `number` where that is a safe integer, a `bigint` beyond.
 *
 * The form is canonical: equal values are `===` (and the same Map key) as long as they come from {@link parseLong} or {@link toLong};
 * `<` and `>` work across both forms.
 */
export type Long = number | bigint;

const MAX = 9223372036854775807n;
const MIN = -9223372036854775808n;
const DECIMAL = /^[+-]?\d+$/;
/** Longer texts are refused unread: a sign, 19 digits and a generous run of leading zeros. */
const MAX_TEXT = 64;

/** The canonical form of a value; `undefined` outside the range of a Java long. */
export function toLong(value: bigint): Long | undefined {
  if (value > MAX || value < MIN) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Reads decimal text as Java's `Long.parseLong` does: optional sign, digits only, range checked; else `undefined`. */
export function parseLong(text: string): Long | undefined {
  if (text.length > MAX_TEXT || !DECIMAL.test(text)) return undefined;
  // Up to 15 digits a double is exact; adding 0 turns -0 into 0.
  if (text.length < 16) return Number(text) + 0;
  return toLong(BigInt(text.startsWith('+') ? text.slice(1) : text));
}

/** Reads decimal text as Java's `Integer.parseInt` does: optional sign, digits only, 32 bits; else `undefined`. */
export function parseInt32(text: string): number | undefined {
  return parseFewDigits(text) ?? parseSigned(text);
}

/** Up to 9 digits and nothing else, as nearly all are: without the expression, a third of the price. */
function parseFewDigits(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > 9) return undefined;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

function parseSigned(text: string): number | undefined {
  const value = parseLong(text);
  return typeof value === 'number' && value >= -2147483648 && value <= 2147483647 ? value : undefined;
}
