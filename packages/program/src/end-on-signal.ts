import type { EventEmitter } from 'node:events';
import { ExitCode } from './exit-code.js';
import type { ProgramLog } from './log.js';
import { printLastLine } from './print-last-line.js';
import { onStopSignals } from './signals.js';

export interface Service {
  /** The program: `mqnamesrv`. */
  readonly program: string;
  /** What it runs, as the log calls it: `the name server`. */
  readonly what: string;
  readonly log: ProgramLog;
  /** Stops to serve. */
  stop(): Promise<void>;
}

/** The process, as far as the end of a service goes. */
export interface ServiceProcess extends Pick<EventEmitter, 'on'> {
  exit(code: ExitCode): void;
  /** Prints to stderr. */
  printError(line: string): Promise<void>;
}

const thisProcess: ServiceProcess = {
  on: (name, listener) => process.on(name, listener) as unknown as EventEmitter,
  exit: (code) => process.exit(code),
  printError: (line) => printLastLine(2, line),
};

/** Services stop sooner by themselves; this is for what nobody thought of. */
const STOP_MILLIS = 4_500;

/**
 * Ends the process of a service: with 0 at SIGTERM or SIGINT, after it stopped, or at once at the second one; with 70 after an exception
 * that nobody caught, with its stack in the log and a line on stderr.
 */
export function endOnSignal(service: Service, process: ServiceProcess = thisProcess): void {
  const { program, what, log } = service;
  let exitCode: ExitCode = ExitCode.OK;
  let told: Promise<void> = Promise.resolve();
  let isStopping = false;
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await Promise.all([log.close(), told]);
    process.exit(exitCode);
  };
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => {
      log.logger.error(`${what} does not stop cleanly in time`);
      void end();
    }, STOP_MILLIS).unref();
    try {
      await service.stop();
    } catch (error) {
      log.logger.error({ err: error }, `${what} did not stop cleanly`);
      exitCode = ExitCode.INTERNAL;
    }
    await end();
  };
  onStopSignals(
    process,
    (signal) => {
      log.logger.info({ signal }, `${what} stops`);
      void stop();
    },
    () => process.exit(exitCode),
  );
  process.on('uncaughtException', (error: unknown) => {
    log.logger.fatal({ err: error }, `internal error, please report it; ${what} stops`);
    if (exitCode === ExitCode.INTERNAL) return;
    exitCode = ExitCode.INTERNAL;
    const summary = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
    const line = `${program}: internal error, please report it: ${summary} (its stack is in the log)`;
    told = process.printError(line).catch(() => {});
    void stop();
  });
}
