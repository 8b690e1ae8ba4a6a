import { parseInt32, parseLong, quoteForPeople } from '@rmqns/remoting/json';
import { NamesrvError } from './errors.js';
import { type LaterOption, laterOption, laterOptionNames } from './later-options.js';
import {
  type NamesrvOptionName,
  namesrvOption,
  namesrvOptionNames,
  namesrvOptionTable,
} from './namesrv-option-table.js';
import { nearestName } from './nearest-name.js';
import type { NamesrvOption } from './option-row.js';

type Table = typeof namesrvOptionTable;

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly type: 'boolean' }
    ? boolean
    : Row extends { readonly type: 'string' }
      ? string
      : number;

/** Every option with a value; `undefined` only where the table's default is. */
export type ResolvedNamesrvOptions = {
  readonly [Name in NamesrvOptionName]:
    | ValueOf<Table[Name]>
    | (Table[Name] extends { readonly default: undefined } ? undefined : never);
};

/** What a caller may set, all optional: meaning, unit, bounds and default of each are in {@link namesrvOptionTable}. */
export type NamesrvOptions = {
  readonly [Name in NamesrvOptionName]?: ValueOf<Table[Name]> | undefined;
};

/** One thing that is wrong with an option. */
export interface OptionProblem {
  /**
   * `unknown`: there is no such option; `later`: there will be one; `unsupported`: it asks for what is not there and would be missed;
   * `invalid`: the value cannot be that of the option.
   */
  readonly kind: 'unknown' | 'later' | 'unsupported' | 'invalid';
  readonly key: string;
  /** The value as it was given. */
  readonly text: string;
  /** The value is one of the type, and only its size or choice cannot be. */
  readonly outOfBounds?: boolean | undefined;
  /** What is wrong with it, to stand after the key. */
  readonly problem: string;
  /** The value or name that was probably meant. */
  readonly suggestion?: string | undefined;
}

/** Options that cannot be; all that is wrong is in {@link problems}. Its code is `OPTIONS_INVALID`. */
export class NamesrvOptionsError extends NamesrvError {
  readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    super('OPTIONS_INVALID', problems.map(describeOptionProblem).join('; '));
    this.problems = problems;
  }

  override get name(): string {
    return 'NamesrvOptionsError';
  }
}

/** `key: problem (did you mean …)`. */
export function describeOptionProblem(problem: OptionProblem): string {
  const hint = problem.suggestion === undefined ? '' : ` (did you mean ${problem.suggestion}?)`;
  return `${problem.key}: ${problem.problem}${hint}`;
}

/**
 * Checks a caller's options and fills in the defaults; an option that is `undefined` is not set.
 *
 * @throws NamesrvOptionsError with everything that is wrong, unknown names included
 */
export function resolveNamesrvOptions(input: NamesrvOptions = {}): ResolvedNamesrvOptions {
  const problems: OptionProblem[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const row = namesrvOption(name);
    if (row === undefined) problems.push(unknownOption(name, String(value)));
    else {
      const problem = checkValue(name, row, value);
      if (problem !== undefined) problems.push(problem);
    }
  }
  if (problems.length > 0) throw new NamesrvOptionsError(problems);
  const given = input as Readonly<Record<string, unknown>>;
  const resolved = namesrvOptionNames.map((name) => [name, given[name] ?? namesrvOptionTable[name].default]);
  return Object.fromEntries(resolved) as ResolvedNamesrvOptions;
}

/** A text's value, or what is wrong with the text. */
export type ParsedOption =
  | {
      readonly name: NamesrvOptionName;
      readonly value: string | number | boolean;
      readonly problem?: undefined;
    }
  | { readonly problem: OptionProblem };

/**
 * Reads an option as files, flags and the environment write it. Blanks around the text do not count, as in Java; other than
 * in Java, a boolean is `true` or `false` in any case and nothing else, and a number that does not parse is a problem.
 */
export function parseOptionText(name: string, text: string): ParsedOption {
  const row = namesrvOption(name);
  if (row === undefined) return { problem: unknownOption(name, text) };
  const value = readText(row, text.trim());
  const problem = checkValue(name, row, value, text);
  return problem === undefined ? { name: name as NamesrvOptionName, value } : { problem };
}

/** The text as the row's type where it is one; otherwise as it stands, for {@link checkValue} to refuse. */
function readText(row: NamesrvOption, text: string): string | number | boolean {
  if (row.type === 'boolean') {
    const lower = text.toLowerCase();
    return lower === 'true' ? true : lower === 'false' ? false : text;
  }
  if (row.type === 'string') return row.anyCase === true ? text.toLowerCase() : text;
  const number = row.type === 'int' ? parseInt32(text) : parseLong(text);
  return typeof number === 'number' ? number : text;
}

function unknownOption(name: string, text: string): OptionProblem {
  const later = laterOption(name);
  if (later !== undefined) return notSupportedYet(name, text, later);
  const suggestion = nearestName(name, [...namesrvOptionNames, ...laterOptionNames]);
  return { kind: 'unknown', key: name, text, problem: 'there is no such option', suggestion };
}

function notSupportedYet(name: string, text: string, { what, protects }: LaterOption): OptionProblem {
  if (protects !== true)
    return { kind: 'later', key: name, text, problem: `not supported yet (${what}); it has no effect` };
  const problem = `not supported yet (${what}), and without it nothing is protected; remove it, and protect the port by other means`;
  return { kind: 'unsupported', key: name, text, problem };
}

function checkValue(name: string, row: NamesrvOption, value: unknown, text = String(value)): OptionProblem | undefined {
  const invalid = (problem: string, suggestion?: string): OptionProblem => ({
    kind: 'invalid',
    key: name,
    text,
    problem,
    suggestion,
  });
  const shown = quoteForPeople(text.trim());
  switch (row.type) {
    case 'boolean':
      if (typeof value !== 'boolean')
        return invalid(`${shown} is neither true nor false`, nearestName(text.trim(), ['true', 'false']));
      if (row.only !== undefined && value !== row.only.value)
        return { ...invalid(row.only.because), kind: 'unsupported', outOfBounds: true };
      return undefined;
    case 'string':
      if (typeof value !== 'string') return invalid(`${shown} is no text`);
      if (value.includes('\0')) return invalid('a text must not contain the character NUL');
      if (row.choices !== undefined && !row.choices.includes(value))
        return {
          ...invalid(`${shown} is none of ${row.choices.join(', ')}`, nearestName(value, row.choices)),
          outOfBounds: true,
        };
      if (row.problem !== undefined) {
        const problem = row.problem(value);
        if (problem !== undefined) return { ...invalid(problem), outOfBounds: true };
      }
      return undefined;
    default: {
      const min = row.min ?? (row.type === 'int' ? -2_147_483_648 : Number.MIN_SAFE_INTEGER);
      const max = row.max ?? (row.type === 'int' ? 2_147_483_647 : Number.MAX_SAFE_INTEGER);
      const unit = row.unit === undefined ? '' : ` ${row.unit}`;
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return invalid(`${shown} is no whole number`);
      if (value < min || value > max)
        return { ...invalid(`${shown} is not between ${min} and ${max}${unit}`), outOfBounds: true };
      return undefined;
    }
  }
}
