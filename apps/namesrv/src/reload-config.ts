import { namesrvOptionNames, type ResolvedNamesrvOptions } from '@rmqns/namesrv';
import type { NamesrvConfig } from './namesrv-config.js';

/** The part of pino's logger that a reload needs. */
interface LeveledLogger {
  level: string;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Reload {
  /** Reads the sources again; throws what is wrong with them. */
  readonly load: () => NamesrvConfig;
  /** The options in effect. */
  readonly running: ResolvedNamesrvOptions;
  readonly logger: LeveledLogger;
}

/** SIGHUP: reads the configuration again. The log level takes effect at once; what else changed is named, for a restart. */
export function reloadConfig({ load, running, logger }: Reload): void {
  let options: ResolvedNamesrvOptions;
  try {
    ({ options } = load());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error({ err: error }, `the configuration was read again and is not taken: ${reason}`);
    return;
  }
  const changed = namesrvOptionNames.filter((name) => name !== 'logLevel' && options[name] !== running[name]);
  const before = logger.level;
  logger.level = options.logLevel;
  const level = before === options.logLevel ? 'the log level stays' : `the log level was ${before} and is`;
  const rest = changed.length === 0 ? '' : `; a restart is needed for ${changed.join(', ')}`;
  logger.info(
    { logLevel: options.logLevel, changed },
    `the configuration was read again: ${level} ${options.logLevel}${rest}`,
  );
}
