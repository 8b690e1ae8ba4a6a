import { Command, CommanderError } from 'commander';
import { Exit } from './exit.js';
import { ExitCode } from './exit-code.js';

/**
 * A command line of a program, to which options are added. What it prints it gives to {@link parseCommandLine} instead, and it lists
 * options in the order in which they were added.
 */
export function createCommandLine(name: string): Command {
  return new Command(name).configureHelp({ sortOptions: false });
}

/**
 * Reads arguments.
 *
 * @throws Exit for `--help`, `--version` and wrong arguments
 */
export function parseCommandLine(commandLine: Command, args: readonly string[]): void {
  let printed = '';
  commandLine
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {}, getOutHelpWidth: () => 110 })
    .exitOverride();
  try {
    commandLine.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new Exit(ExitCode.OK, printed.trimEnd(), { asked: true });
    throw wrongArguments(commandLine.name(), error.message.replace(/^error: |\.$/g, '').replaceAll('\n', ' '));
  }
}

/** The end of a program that was started with arguments it cannot take. */
export function wrongArguments(name: string, sentence: string): Exit {
  return new Exit(ExitCode.USAGE, `${name}: ${sentence}; ${name} --help lists all options`);
}
