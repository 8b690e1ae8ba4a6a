import type { EventEmitter } from 'node:events';
import { ExitCode } from './exit-code.js';
import type { ProgramLog } from './log.js';
import { hasPoolRequests } from './pool-requests.js';
import { printLastLine } from './print-last-line.js';
import { onStopSignals } from './signals.js';

export interface Service {
  /** The program: `mqnamesrv`. */
  readonly program: string;
  /** What it runs, as the log calls it: `the name server`. */
  readonly what: string;
  readonly log: Pick<ProgramLog, 'logger' | 'close'>;
  /** Stops to serve. */
  stop(): Promise<void>;
  /** How long it may take, asked when it begins; default 3,000. */
  readonly maxStopMillis?: (() => number) | undefined;
}

/** The process, as far as the end of a service goes. */
export interface ServiceProcess extends Pick<EventEmitter, 'on'> {
  /** Waits for {@link hasPoolRequests requests of the thread pool}, however long they take. */
  exit(code: ExitCode): void;
  /** Ends at once, by SIGKILL: nothing less ends a process whose thread pool hangs. */
  kill(): void;
  hasPoolRequests(): boolean;
  monotonic(): number;
  sleep(millis: number): Promise<void>;
  /** Prints to stderr. */
  printError(line: string): Promise<void>;
}

const thisProcess: ServiceProcess = {
  on: (name, listener) => process.on(name, listener) as unknown as EventEmitter,
  exit: (code) => process.exit(code),
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  hasPoolRequests: () => hasPoolRequests(process.getActiveResourcesInfo()),
  monotonic: () => performance.now(),
  sleep: (millis) => new Promise((resolve) => void setTimeout(resolve, millis)),
  printError: (line) => printLastLine(2, line),
};

const MAX_STOP_MILLIS = 3_000;
/** Services stop in time by themselves; this is for what nobody thought of. The log may take another second. */
const STOP_SLACK_MILLIS = 400;
/** Beyond the time to stop: until then requests of the thread pool may end, so that the process can exit. */
const END_SLACK_MILLIS = 1_500;
/** The same from the second signal on: still at once for who waits, and enough for a file that answers. */
const END_NOW_MILLIS = 100;
const POLL_MILLIS = 20;
/** Node's timers count in 31 bits. */
const MAX_DELAY_MILLIS = 0x7fffffff;

/**
 * Ends the process of a service: with 0 at SIGTERM or SIGINT, after it stopped, or at once at the second one; with 70 after an exception
 * that nobody caught, with its stack in the log and a line on stderr. Where the thread pool hangs, on a name that DNS does not answer or a
 * dead file system, the process ends by SIGKILL instead, as the last thing: 1.5 s after the service's time to stop, 0.1 s after the second signal.
 */
export function endOnSignal(service: Service, process: ServiceProcess = thisProcess): void {
  const { program, what, log } = service;
  let exitCode: ExitCode = ExitCode.OK;
  let told: Promise<void> = Promise.resolve();
  let isStopping = false;
  let isEnding = false;
  const exitBy = async (deadlineMillis: number): Promise<void> => {
    while (process.hasPoolRequests()) {
      if (process.monotonic() >= deadlineMillis) return process.kill();
      await process.sleep(POLL_MILLIS);
    }
    process.exit(exitCode);
  };
  const end = async (deadlineMillis: number): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await Promise.all([log.close(), told]);
    await exitBy(deadlineMillis);
  };
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    const maxStopMillis = service.maxStopMillis?.() ?? MAX_STOP_MILLIS;
    const deadlineMillis = process.monotonic() + maxStopMillis + END_SLACK_MILLIS;
    setTimeout(
      () => {
        if (!isEnding) log.logger.error(`${what} does not stop cleanly in time`);
        void end(deadlineMillis);
      },
      Math.min(maxStopMillis + STOP_SLACK_MILLIS, MAX_DELAY_MILLIS),
    ).unref();
    try {
      await service.stop();
    } catch (error) {
      log.logger.error({ err: error }, `${what} did not stop cleanly`);
      exitCode = ExitCode.INTERNAL;
    }
    await end(deadlineMillis);
  };
  onStopSignals(
    process,
    (signal) => {
      log.logger.info({ signal }, `${what} stops`);
      void stop();
    },
    () => void exitBy(process.monotonic() + END_NOW_MILLIS),
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
