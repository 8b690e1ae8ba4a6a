import { describeFileError, Exit, ExitCode } from '@rmqns/program';
import { StateInUseError } from './state-lock.js';

/** Turns the failures that a start may have into one sentence. */
export function startFailure(error: unknown, stateDirectory: string): unknown {
  if (error instanceof StateInUseError)
    return new Exit(ExitCode.FAILED, `rmq-agent: ${error.message}`, { cause: error });
  if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') return error;
  const message = `rmq-agent: cannot keep its state in ${stateDirectory}: ${describeFileError(error)}`;
  return new Exit(ExitCode.FAILED, message, { cause: error });
}
