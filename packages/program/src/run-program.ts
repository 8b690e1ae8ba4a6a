import { Exit } from './exit.js';
import { ExitCode } from './exit-code.js';

/** Runs a program's main function. An {@link Exit} that it throws ends the process with its text; anything else is a defect. */
export function runProgram(name: string, main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const exit = error instanceof Exit ? error : undefined;
    const text =
      exit?.message ?? `${name}: internal error, please report it\n${error instanceof Error ? error.stack : error}`;
    const stream = exit?.asked === true ? process.stdout : process.stderr;
    stream.write(`${text}\n`, () => process.exit(exit?.exitCode ?? ExitCode.INTERNAL));
  });
}
