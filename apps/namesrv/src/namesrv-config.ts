import { join } from 'node:path';
import {
  describeOptionProblem,
  type NamesrvOptionName,
  type NamesrvOptions,
  namesrvOption,
  parseOptionText,
  type ResolvedNamesrvOptions,
  resolveNamesrvOptions,
} from '@rmqns/namesrv';
import { Exit, ExitCode } from '@rmqns/program';
import type { CliArguments } from './cli-arguments.js';
import { readConfigFile } from './config-file.js';
import { type ConfigItem, type ConfigSource, placeOf, settingsOf } from './config-setting.js';
import { readEnvironment } from './environment.js';
import { readJavaOptions, SERIALIZE_TYPE_PROPERTY } from './java-options.js';
import type { ProductAddresses } from './product-name-servers.js';
import { readTlsConfigFile } from './tls-config-file.js';

/** Where the value of an option was set. */
interface ConfigOrigin {
  readonly source: ConfigSource;
  /** `namesrv.properties:3:1`, `RMQ_NAMESRV_LISTEN_PORT`, `--port`. */
  readonly place: string;
}

export interface NamesrvConfig {
  readonly options: ResolvedNamesrvOptions;
  /** Of each option that is not at its default. */
  readonly origins: ReadonlyMap<NamesrvOptionName, ConfigOrigin>;
  /** All keys of the file, for tools that ask for them. */
  readonly fileProperties: ReadonlyMap<string, string>;
  /** Unknown keys and what else was passed over, each a line for the log. */
  readonly warnings: readonly string[];
  /** Keys that were set and do nothing here. */
  readonly withoutEffect: readonly string[];
  /** What `JAVA_OPT` and `JAVA_OPT_EXT` hold that means nothing here. */
  readonly ignoredJavaOptions: readonly string[];
  /** Where a cluster-test server finds the product environment. */
  readonly productAddresses: ProductAddresses;
}

/**
 * Puts the configuration together: defaults < what is set for Java < file < environment < command line < the file of TLS.
 *
 * @throws Exit with every problem and warning of every source, or when the file cannot be read
 */
export function loadNamesrvConfig(
  args: CliArguments,
  environment: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): NamesrvConfig {
  const file = args.configFile === undefined ? [] : readConfigFile(args.configFile);
  const java = readJavaOptions(environment);
  const home = java.userHome ?? homeDirectory;
  const collector = new SettingCollector(args.lenient, {
    kvConfigPath: join(home, 'namesrv', 'kvConfig.json'),
    configStorePath: join(home, 'namesrv', 'namesrv.properties'),
  });
  collector.apply(java.defaults);
  collector.apply(file);
  // Updates go to the file that was read, wherever the file itself says (reference: nameserver 5.1).
  if (args.configFile !== undefined)
    collector.set('configStorePath', args.configFile, { source: 'command line', place: '-c' });
  collector.apply(java.properties);
  collector.apply(readEnvironment(environment));
  collector.apply(args.settings);
  const tlsConfigFile = readTlsConfigFile(
    collector.values['tls.config.file'],
    collector.origins.has('tls.config.file'),
  );
  collector.apply(tlsConfigFile.items);
  collector.warnings.push(...tlsConfigFile.warnings);
  const { problems, warnings, values, origins } = collector;
  if (problems.length > 0) {
    const besides = warnings.map((warning) => `warning: ${warning}`);
    throw new Exit(
      ExitCode.CONFIG,
      ['mqnamesrv: the configuration cannot be used:', ...problems, ...besides].join('\n'),
    );
  }
  return {
    options: resolveNamesrvOptions(values as NamesrvOptions),
    origins,
    fileProperties: new Map(settingsOf(file).map(({ key, text }) => [key, text])),
    warnings,
    withoutEffect: [...collector.withoutEffect],
    ignoredJavaOptions: java.ignored,
    productAddresses: java.productAddresses,
  };
}

/** Options as one source after the other sets them, and what is wrong with them. */
class SettingCollector {
  readonly values: Record<string, string | number | boolean>;
  readonly origins = new Map<NamesrvOptionName, ConfigOrigin>();
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly withoutEffect = new Set<string>();
  readonly #lenient: boolean;

  constructor(lenient: boolean, defaults: Readonly<Record<string, string>>) {
    this.#lenient = lenient;
    this.values = { ...defaults };
  }

  set(name: NamesrvOptionName, value: string | number | boolean, origin: ConfigOrigin): void {
    this.values[name] = value;
    this.origins.set(name, origin);
  }

  apply(items: readonly ConfigItem[]): void {
    for (const setting of items) {
      if ('complaint' in setting) {
        this.problems.push(setting.complaint);
        continue;
      }
      const { source, text } = setting;
      const key = setting.key === SERIALIZE_TYPE_PROPERTY ? 'serializeType' : setting.key;
      const parsed = parseOptionText(key, text);
      const origin = { source, place: placeOf(setting) };
      if (parsed.problem === undefined) {
        this.set(parsed.name, parsed.value, origin);
        const isAsked = source === 'file' || source === 'command line';
        if (isAsked && namesrvOption(key)?.effect === 'none') this.withoutEffect.add(key);
        continue;
      }
      const { kind } = parsed.problem;
      const where = kind === 'invalid' ? (setting.valueWhere ?? setting.where) : setting.where;
      const complaint = where + describeOptionProblem(parsed.problem);
      if (kind === 'unknown' || kind === 'later') this.warnings.push(complaint);
      else if (!this.#lenient || kind === 'unsupported') this.problems.push(complaint);
      else this.#passOver(key as NamesrvOptionName, complaint, origin);
    }
  }

  /** As Apache: what is not true is false, and any other value that does not parse changes nothing (reference: nameserver 5.5). */
  #passOver(name: NamesrvOptionName, complaint: string, origin: ConfigOrigin): void {
    if (namesrvOption(name)?.type === 'boolean') this.set(name, false, origin);
    const value = this.values[name] ?? namesrvOption(name)?.default;
    this.warnings.push(`${complaint}; ${value === undefined ? 'it is not set' : `it is ${value}`}`);
  }
}
