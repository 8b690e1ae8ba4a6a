import { namesrvOptionNames } from '@rmqns/namesrv';
import type { Setting } from '@rmqns/program';

const PREFIX = 'RMQ_NAMESRV_';

/**
 * The options that the environment sets: `RMQ_NAMESRV_LISTEN_PORT` for `listenPort` and so on, and `ROCKETMQ_HOME`. An empty variable
 * counts as not set, since compose files and charts write those.
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Setting[] {
  const keys = new Map<string, string>(namesrvOptionNames.map((name) => [environmentName(name), name]));
  const settings: Setting[] = [];
  const home = environment['ROCKETMQ_HOME'];
  if (home) settings.push({ key: 'rocketmqHome', text: home, where: 'environment ROCKETMQ_HOME, ' });
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || !text) continue;
    // An unknown variable stays recognizable: its key in camel case goes the way of all unknown keys.
    const key = keys.get(name) ?? camelCase(name.slice(PREFIX.length));
    settings.push({ key, text, where: `environment ${name}, ` });
  }
  return settings;
}

/** `listenPort` to `RMQ_NAMESRV_LISTEN_PORT`, `useTLS` to `RMQ_NAMESRV_USE_TLS`. */
export function environmentName(option: string): string {
  return PREFIX + option.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

function camelCase(upperSnake: string): string {
  return upperSnake.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
