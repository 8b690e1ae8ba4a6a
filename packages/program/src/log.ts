import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyLine } from './pretty-line.js';

/** The one way to stdout, or stderr with `fd` 2: log lines and plain lines, whole and in order. */
export interface ProgramLog {
  readonly logger: Logger;
  /** Writes a line as it is, which scripts look for. */
  printLine(line: string): void;
  /** Resolves when all is written, or after a second when nobody reads. Nothing may be written afterwards. */
  close(): Promise<void>;
}

/** What may wait for a reader that is too slow; lines beyond it are dropped, since no server waits for its log. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export function openLog(level: string, format: 'json' | 'pretty', fd: 1 | 2 = 1): ProgramLog {
  const output = destination({ fd, sync: false, maxLength: MAX_WAITING_BYTES });
  // A reader that went away (`... | head`) is no reason to stop serving.
  let broken = false;
  output.on('error', () => {
    broken = true;
  });
  const target = format === 'json' ? output : { write: (line: string) => output.write(prettyLine(line)) };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    target,
  );
  return {
    logger,
    printLine: (line) => output.write(`${line}\n`),
    close: () =>
      new Promise((resolve) => {
        if (broken) return resolve();
        const timer = setTimeout(resolve, 1_000);
        const done = (): void => {
          clearTimeout(timer);
          resolve();
        };
        output.once('close', done).once('error', done);
        output.end();
      }),
  };
}
