import { Exit } from './exit.js';
import { ExitCode } from './exit-code.js';
import { printLastLine } from './print-last-line.js';

/** Runs a program's main function. An {@link Exit} that it throws ends the process with its text; anything else is a defect. */
export function runProgram(name: string, main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const exit = error instanceof Exit ? error : undefined;
    const text =
      exit?.message ?? `${name}: internal error, please report it\n${error instanceof Error ? error.stack : error}`;
    const exitCode = exit?.exitCode ?? ExitCode.INTERNAL;
    // What was asked for is all that there is to do, so its reader may take all the time.
    if (exit?.asked === true) process.stdout.write(`${text}\n`, () => process.exit(exitCode));
    else void printLastLine(2, text).finally(() => process.exit(exitCode));
  });
}
