import type { Setting } from '@rmqns/program';

/** Where a value may come from. */
export type ConfigSource = 'file' | 'environment' | 'command line';

/** An option as one of the sources has it. */
export interface ConfigSetting extends Setting {
  readonly source: ConfigSource;
  /** Where the value stands, where that is another place than the key's: in a file. */
  readonly valueWhere?: string | undefined;
}

/** The place of a setting by itself: `namesrv.properties:3:1`, `RMQ_NAMESRV_LISTEN_PORT`, `--port`. */
export function placeOf({ where }: Setting): string {
  return where.replace(/^environment /, '').replace(/[, ]+$/, '');
}
