import { existsSync } from 'node:fs';
import { namesrvOption } from '@rmqns/namesrv';
import { Exit } from '@rmqns/program';
import { readConfigFile } from './config-file.js';
import { type ConfigItem, settingsOf } from './config-setting.js';

/** The keys of TLS that only other sources set, as in Java (reference: remoting 6.1). */
const NOT_FROM_FILE: ReadonlySet<string> = new Set(['tls.server.mode', 'tls.enable', 'tls.config.file']);

export interface TlsConfigFile {
  /** Its settings of TLS, and what cannot be read. */
  readonly items: readonly ConfigItem[];
  readonly warnings: readonly string[];
}

/**
 * Reads the file of `tls.config.file`, which goes over all other sources. One that is not there or cannot be read sets nothing, which is
 * worth a word only where somebody named it.
 */
export function readTlsConfigFile(given: string | number | boolean | undefined, isNamed: boolean): TlsConfigFile {
  const path = String(given ?? namesrvOption('tls.config.file')?.default ?? '');
  const nothing = { items: [], warnings: [] };
  if (path === '' || !(isNamed || existsSync(path))) return nothing;
  let file: ConfigItem[];
  try {
    file = readConfigFile(path);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return {
      ...nothing,
      warnings: [`tls.config.file: ${error.message.replace('mqnamesrv: ', '')}; it is watched for`],
    };
  }
  const isForeign = (item: ConfigItem): boolean =>
    'key' in item && (!item.key.startsWith('tls.') || NOT_FROM_FILE.has(item.key));
  const others = settingsOf(file.filter(isForeign));
  const warnings = others.map(
    ({ key, where }) => `${where}${key}: this file does not set it, only keys of TLS but the mode`,
  );
  return { items: file.filter((item) => !isForeign(item)), warnings };
}
