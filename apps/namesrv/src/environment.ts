import { readFileSync } from 'node:fs';
import { namesrvOptionNames } from '@rmqns/namesrv';
import { describeFileError } from '@rmqns/program';
import type { ConfigItem } from './config-setting.js';

const PREFIX = 'RMQ_NAMESRV_';
const FILE_SUFFIX = '_FILE';

/**
 * The options that the environment sets: `RMQ_NAMESRV_LISTEN_PORT` for `listenPort` and so on, and `RMQ_NAMESRV_LISTEN_PORT_FILE` for a
 * file that holds the value, as secrets are handed over in containers. An empty variable counts as not set, since compose files and charts
 * write those.
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): ConfigItem[] {
  const keys = new Map<string, string>(namesrvOptionNames.map((name) => [environmentName(name), name]));
  const items: ConfigItem[] = [];
  const complain = (complaint: string): void => void items.push({ complaint });
  const set = (variable: string, key: string, text: string): void => {
    items.push({ key, text, source: 'environment', where: `environment ${variable}, ` });
  };
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || !text) continue;
    const inFile = name.endsWith(FILE_SUFFIX) ? keys.get(name.slice(0, -FILE_SUFFIX.length)) : undefined;
    if (keys.has(name) || inFile === undefined) {
      // An unknown variable stays recognizable: its key in camel case goes the way of all unknown keys.
      set(name, keys.get(name) ?? camelCase(name.slice(PREFIX.length)), text);
    } else if (environment[environmentName(inFile)]) {
      complain(`environment ${name}, ${inFile}: ${environmentName(inFile)} is set, too; remove one of the two`);
    } else {
      try {
        set(name, inFile, readFileSync(text, 'utf8').replace(/\r?\n$/, ''));
      } catch (error) {
        complain(`environment ${name}, ${inFile}: cannot read ${text}: ${describeFileError(error)}`);
      }
    }
  }
  return items;
}

/** `listenPort` to `RMQ_NAMESRV_LISTEN_PORT`, `useTLS` to `RMQ_NAMESRV_USE_TLS`, `tls.server.mode` to `RMQ_NAMESRV_TLS_SERVER_MODE`. */
export function environmentName(option: string): string {
  return (
    PREFIX +
    option
      .replaceAll('.', '_')
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toUpperCase()
  );
}

function camelCase(upperSnake: string): string {
  return upperSnake.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
