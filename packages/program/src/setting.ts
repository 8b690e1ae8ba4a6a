import { InvalidArgumentError } from 'commander';

/** One option as somebody wrote it. */
export interface Setting {
  readonly key: string;
  readonly text: string;
  /** Where it was written, to stand before the key in a complaint: `file:line `, `environment NAME, `, `--set `. */
  readonly where: string;
}

/** Reads what follows `--set`; commander turns what is thrown into a complaint about the flag. */
export function readAssignment(text: string): Setting {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It has the form key=value.');
  return { key: text.slice(0, equals).trim(), text: text.slice(equals + 1), where: '--set ' };
}
