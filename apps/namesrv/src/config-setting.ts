import type { Setting } from '@rmqns/program';

/** Where a value may come from. */
export type ConfigSource = 'file' | 'environment' | 'command line';

/** An option as one of the sources has it. */
export interface ConfigSetting extends Setting {
  readonly source: ConfigSource;
  /** Where the value stands, where that is another place than the key's: in a file. */
  readonly valueWhere?: string | undefined;
}

/** What cannot be read where a setting could stand. */
interface ConfigComplaint {
  /** With its place. */
  readonly complaint: string;
}

/** What a source says, in the order in which it stands there. */
export type ConfigItem = ConfigSetting | ConfigComplaint;

/** The settings among what a source says. */
export function settingsOf(items: readonly ConfigItem[]): ConfigSetting[] {
  return items.filter((item) => 'key' in item);
}

/** The place of a setting by itself: `namesrv.properties:3:1`, `RMQ_NAMESRV_LISTEN_PORT`, `--port`. */
export function placeOf({ where }: Setting): string {
  return where.replace(/^environment /, '').replace(/[, ]+$/, '');
}
