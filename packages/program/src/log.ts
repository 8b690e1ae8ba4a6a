import { isatty } from 'node:tty';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { BoundedOutput } from './bounded-output.js';
import { openFdWriter } from './fd-writer.js';
import { describeFileError } from './file-error.js';
import { LogFile } from './log-file.js';
import { prettyLine } from './pretty-line.js';

/** The one way to stdout, or stderr with `fd` 2, or a file: log lines and plain lines, whole and in order. No server waits for it. */
export interface ProgramLog {
  readonly logger: Logger;
  /** Writes a line as it is, which scripts look for; never to the file. */
  printLine(line: string): void;
  /** Opens the file again by its name; says in the log when that cannot be. Nothing without a file. */
  reopen(): void;
  /** Resolves when all is written, or after a second when nobody reads. Nothing may be written afterwards. */
  close(): Promise<void>;
}

export interface LogOptions {
  /** `info`, for instance, or `silent`. */
  readonly level: string;
  /** Default: pretty on a terminal, json elsewhere. */
  readonly format?: 'json' | 'pretty' | undefined;
  /** Default 1. */
  readonly fd?: 1 | 2 | undefined;
  /** A file for the log lines, appended to; made where there is none, for the owner and to read for the group. Its format is json by default. */
  readonly path?: string | undefined;
}

const CLOSE_MILLIS = 1_000;

/**
 * Opens the log. What waits for a slow reader is bounded; lines beyond the bound are dropped, and counted in a line when it goes on.
 *
 * @throws Error of the file system when the file cannot be opened
 */
export function openLog({ level, format, fd = 1, path }: LogOptions): ProgramLog {
  const onDropped = (lines: number): void =>
    logger.warn({ lines }, 'log lines were dropped since nobody took them in time');
  const plain = new BoundedOutput(openFdWriter(fd), { onDropped });
  const file = path === undefined ? undefined : new LogFile(path);
  const output = file === undefined ? plain : new BoundedOutput(file.write, { onDropped });
  const isTerminal = file === undefined && isatty(fd);
  const isPretty = (format ?? (isTerminal ? 'pretty' : 'json')) === 'pretty';
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.write(isPretty ? prettyLine(line) : line) },
  );
  const reopen = (): void => {
    try {
      file?.reopen();
    } catch (error) {
      logger.error({ err: error }, `the log file ${path} cannot be opened again: ${describeFileError(error)}`);
    }
  };
  return {
    logger,
    printLine: (line) => plain.write(`${line}\n`),
    reopen,
    close: async () => void (await Promise.all([plain.end(CLOSE_MILLIS), output.end(CLOSE_MILLIS)])),
  };
}
