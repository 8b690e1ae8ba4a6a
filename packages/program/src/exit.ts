import type { ExitCode } from './exit-code.js';

/** An expected end of the program: the message is all that a person gets to see, without a stack. */
export class Exit extends Error {
  readonly exitCode: ExitCode;
  /** Whether the message was asked for (`--help`, `--dry-run`) and goes to stdout. */
  readonly asked: boolean;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: { readonly asked?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.asked = options.asked ?? false;
  }
}
