import {
  type NamesrvOptionName,
  type NamesrvOptions,
  namesrvOption,
  namesrvOptionNames,
  type OptionEffect,
  type ResolvedNamesrvOptions,
} from '@rmqns/namesrv';
import type { NamesrvConfig } from './namesrv-config.js';

/** The part of pino's logger that a reload needs. */
interface LeveledLogger {
  level: string;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ConfigReloadInit {
  /** Reads the sources again; throws what is wrong with them. */
  readonly load: () => NamesrvConfig;
  /** What the server was started with. */
  readonly started: ResolvedNamesrvOptions;
  /** The options in effect. */
  readonly running: () => ResolvedNamesrvOptions;
  /** Sets options that take effect at once. */
  readonly change: (options: NamesrvOptions) => void;
  readonly logger: LeveledLogger;
}

/**
 * SIGHUP: reads the configuration again. What takes effect at once does so, the log level too, and the rest is named for a restart. TLS is
 * read by its own ({@link followTlsSettings}).
 *
 * What changed is what the sources say otherwise than when they were read last: what a request set meanwhile (318) stays.
 */
export class ConfigReload {
  readonly #init: ConfigReloadInit;
  #read: ResolvedNamesrvOptions;

  constructor(init: ConfigReloadInit) {
    this.#init = init;
    this.#read = init.started;
  }

  reload(): void {
    const { load, started, running, change, logger } = this.#init;
    let config: NamesrvConfig;
    try {
      config = load();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ err: error }, `the configuration was read again and is not taken: ${reason}`);
      return;
    }
    const { options, warnings } = config;
    for (const warning of warnings) logger.warn({}, warning);
    const former = this.#read;
    this.#read = options;
    const differing = (from: ResolvedNamesrvOptions, effect: OptionEffect): NamesrvOptionName[] =>
      namesrvOptionNames.filter(
        (name) => namesrvOption(name)?.effect === effect && !Object.is(options[name], from[name]),
      );
    const inEffect = running();
    const live = differing(former, 'live').filter((name) => !Object.is(options[name], inEffect[name]));
    change(Object.fromEntries(live.map((name) => [name, options[name]])) as NamesrvOptions);
    const level = logger.level;
    logger.level = options.logLevel;
    const restart = differing(started, 'start');
    const what = [
      level === options.logLevel
        ? `the log level stays ${level}`
        : `the log level was ${level} and is ${options.logLevel}`,
      ...(live.length === 0 ? [] : [`in effect now: ${live.join(', ')}`]),
      ...(restart.length === 0 ? [] : [`a restart is needed for ${restart.join(', ')}`]),
    ];
    logger.info(
      { logLevel: options.logLevel, changed: live, restart },
      `the configuration was read again: ${what.join('; ')}`,
    );
  }
}
