import { isatty } from 'node:tty';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { BoundedOutput } from './bounded-output.js';
import { openFdWriter } from './fd-writer.js';
import { prettyLine } from './pretty-line.js';

/** The one way to stdout, or stderr with `fd` 2: log lines and plain lines, whole and in order. No server waits for it. */
export interface ProgramLog {
  readonly logger: Logger;
  /** Writes a line as it is, which scripts look for. */
  printLine(line: string): void;
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
}

const CLOSE_MILLIS = 1_000;

/** Opens the log. What waits for a slow reader is bounded; lines beyond the bound are dropped, and counted in a line when it goes on. */
export function openLog({ level, format, fd = 1 }: LogOptions): ProgramLog {
  const output = new BoundedOutput(openFdWriter(fd), {
    onDropped: (lines) => logger.warn({ lines }, 'log lines were dropped since nobody took them in time'),
  });
  const isPretty = (format ?? (isatty(fd) ? 'pretty' : 'json')) === 'pretty';
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.write(isPretty ? prettyLine(line) : line) },
  );
  return {
    logger,
    printLine: (line) => output.write(`${line}\n`),
    close: () => output.end(CLOSE_MILLIS),
  };
}
