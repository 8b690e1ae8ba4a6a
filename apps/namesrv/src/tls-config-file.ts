import { existsSync } from 'node:fs';
import { namesrvOption } from '@rmqns/namesrv';
import { Exit } from '@rmqns/program';
import { type ConfigFile, readConfigFile } from './config-file.js';
import type { ConfigSetting } from './config-setting.js';

/** The keys of TLS that only other sources set, as in Java (reference: remoting 6.1). */
const NOT_FROM_FILE: ReadonlySet<string> = new Set(['tls.server.mode', 'tls.enable', 'tls.config.file']);

export interface TlsConfigFile {
  readonly settings: readonly ConfigSetting[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads the file of `tls.config.file`, which goes over all other sources. One that is not there or cannot be read sets nothing, which is
 * worth a word only where somebody named it.
 */
export function readTlsConfigFile(given: string | number | boolean | undefined, isNamed: boolean): TlsConfigFile {
  const path = String(given ?? namesrvOption('tls.config.file')?.default ?? '');
  const nothing = { settings: [], problems: [], warnings: [] };
  if (path === '' || !(isNamed || existsSync(path))) return nothing;
  let file: ConfigFile;
  try {
    file = readConfigFile(path);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return {
      ...nothing,
      warnings: [`tls.config.file: ${error.message.replace('mqnamesrv: ', '')}; it is watched for`],
    };
  }
  const settings = file.settings.filter(({ key }) => key.startsWith('tls.') && !NOT_FROM_FILE.has(key));
  const others = file.settings.filter((setting) => !settings.includes(setting));
  const warnings = others.map(
    ({ key, where }) => `${where}${key}: this file does not set it, only keys of TLS but the mode`,
  );
  return { settings, problems: file.problems, warnings };
}
