/**
 * Where this package says what it sees. Any pino logger is one. Libraries own no log: without one given, nothing is written.
 * Expected failures (a peer that closes, a bad frame) are logged at debug; nothing is logged twice.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => {};

/** Drops everything. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
