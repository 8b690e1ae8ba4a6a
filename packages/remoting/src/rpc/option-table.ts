import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';

/** What an option may be. Integers have bounds, both inclusive. */
export type OptionRow =
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' | 'text' | 'object' | 'function' }
  | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
  /** `problem` says what is wrong with a value, as the end of a sentence that begins with the option's name. */
  | { readonly kind: 'checked'; readonly problem: (value: unknown) => string | undefined };

/** One row for each option of `Options`. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionRow };

/** The longest that a timer of the platform can wait: 24.8 days. */
export const MAX_TIMER_MILLIS = 2_147_483_647;

/** A time in milliseconds that becomes a timer. */
export const timerMillis = (min: number): OptionRow => ({ kind: 'integer', min, max: MAX_TIMER_MILLIS });

/**
 * Checks what a caller gave and fills in the defaults. An option that is `undefined` is not set.
 *
 * @throws RemotingError `INVALID_ARGUMENT` naming everything that is wrong, unknown names included
 */
export function resolveOptions<Options extends object, Resolved extends Options>(
  owner: string,
  table: OptionTable<Options>,
  defaults: Resolved,
  given: Options,
): Resolved {
  // For callers not written in TypeScript.
  if (typeof given !== 'object' || given === null)
    throw new RemotingError('INVALID_ARGUMENT', `options of ${owner} must be an object, not ${textOfGiven(given)}`);
  const rows = table as Readonly<Record<string, OptionRow>>;
  const resolved = { ...defaults } as Record<string, unknown>;
  const problems: string[] = [];
  let isUnknown = false;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    const problem = row === undefined ? 'is unknown' : check(row, value);
    if (problem === undefined) resolved[name] = value;
    else problems.push(`${name} ${problem}`);
    isUnknown ||= row === undefined;
  }
  if (isUnknown) problems.push(`there are ${Object.keys(rows).join(', ')}`);
  if (problems.length > 0) throw new RemotingError('INVALID_ARGUMENT', `options of ${owner}: ${problems.join('; ')}`);
  return resolved as Resolved;
}

function check(row: OptionRow, value: unknown): string | undefined {
  switch (row.kind) {
    case 'integer':
      return Number.isInteger(value) && (value as number) >= row.min && (value as number) <= row.max
        ? undefined
        : `must be an integer from ${row.min} to ${row.max}, not ${textOfGiven(value)}`;
    case 'choice':
      return row.choices.includes(value)
        ? undefined
        : `must be one of ${row.choices.join(', ')}, not ${textOfGiven(value)}`;
    case 'checked':
      return row.problem(value);
    case 'text':
      return typeof value === 'string' ? undefined : `must be a string, not ${textOfGiven(value)}`;
    default:
      return typeof value === row.kind && value !== null
        ? undefined
        : `must be a ${row.kind}, not ${textOfGiven(value)}`;
  }
}

/** @throws RemotingError `INVALID_ARGUMENT` naming what is no time that a timer can wait */
export function checkMillis(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= MAX_TIMER_MILLIS) return value;
  throw new RemotingError(
    'INVALID_ARGUMENT',
    `${name} must be an integer from 0 to ${MAX_TIMER_MILLIS}, not ${textOfGiven(value)}`,
  );
}
