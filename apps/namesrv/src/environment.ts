import { namesrvOptionNames } from '@rmqns/namesrv';
import type { Setting } from '@rmqns/program';

const PREFIX = 'RMQ_NAMESRV_';

/** Java's system property for {@link readEnvironment}, which the file and `--set` may also use as a key. */
export const SERIALIZE_TYPE_PROPERTY = 'rocketmq.serialize.type';

/**
 * The options that the environment sets: `RMQ_NAMESRV_LISTEN_PORT` for `listenPort` and so on, `ROCKETMQ_HOME`, and the format of headers
 * as it is set for Java: `ROCKETMQ_SERIALIZE_TYPE`, or before that `-Drocketmq.serialize.type=…` in `JAVA_OPT` or `JAVA_OPT_EXT`. An
 * empty variable counts as not set, since compose files and charts write those.
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Setting[] {
  const keys = new Map<string, string>(namesrvOptionNames.map((name) => [environmentName(name), name]));
  const settings: Setting[] = [];
  const home = environment['ROCKETMQ_HOME'];
  if (home) settings.push({ key: 'rocketmqHome', text: home, where: 'environment ROCKETMQ_HOME, ' });
  const serializeType = environment['ROCKETMQ_SERIALIZE_TYPE'];
  if (serializeType) {
    settings.push({ key: 'serializeType', text: serializeType, where: 'environment ROCKETMQ_SERIALIZE_TYPE, ' });
  }
  for (const name of ['JAVA_OPT', 'JAVA_OPT_EXT']) {
    const text = javaProperty(environment[name] ?? '', SERIALIZE_TYPE_PROPERTY);
    if (text) settings.push({ key: 'serializeType', text, where: `environment ${name}, ` });
  }
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

/** The last `-Dname=value` of a Java command line. */
function javaProperty(options: string, name: string): string | undefined {
  const flag = `-D${name}=`;
  const found = options.split(/\s+/).findLast((option) => option.replaceAll('"', '').startsWith(flag));
  return found?.replaceAll('"', '').slice(flag.length);
}

function camelCase(upperSnake: string): string {
  return upperSnake.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
