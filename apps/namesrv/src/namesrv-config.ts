import { join } from 'node:path';
import {
  describeOptionProblem,
  type NamesrvOptions,
  namesrvOption,
  namesrvOptionNames,
  parseOptionText,
  profiles,
  type ResolvedNamesrvOptions,
  resolveNamesrvOptions,
} from '@rmqns/namesrv';
import { Exit, ExitCode, type Setting } from '@rmqns/program';
import type { CliArguments } from './cli-arguments.js';
import { readConfigFile } from './config-file.js';
import { readEnvironment, SERIALIZE_TYPE_PROPERTY } from './environment.js';

export interface NamesrvConfig {
  readonly options: ResolvedNamesrvOptions;
  /** All keys of the file, for tools that ask for them. */
  readonly fileProperties: ReadonlyMap<string, string>;
  /** Unknown keys, each a line for the log. */
  readonly warnings: readonly string[];
  /** Keys that were set and do nothing here. */
  readonly withoutEffect: readonly string[];
}

/**
 * Puts the configuration together: defaults < file < environment < command line.
 *
 * @throws Exit with every problem of every source, or when the file cannot be read
 */
export function loadNamesrvConfig(
  args: CliArguments,
  environment: Readonly<Record<string, string | undefined>>,
  homeDirectory: string,
): NamesrvConfig {
  const file = args.configFile === undefined ? undefined : readConfigFile(args.configFile);
  const problems = [...(file?.problems ?? [])];
  const warnings: string[] = [];
  const values: Record<string, string | number | boolean> = {
    kvConfigPath: join(homeDirectory, 'namesrv', 'kvConfig.json'),
    configStorePath: join(homeDirectory, 'namesrv', 'namesrv.properties'),
  };
  const withoutEffect = new Set<string>();
  const apply = (settings: readonly Setting[], mayHaveNoEffect: boolean): void => {
    for (const { key: given, text, where } of settings) {
      const key = given === SERIALIZE_TYPE_PROPERTY ? 'serializeType' : given;
      const parsed = parseOptionText(key, text);
      if (parsed.problem === undefined) {
        values[parsed.name] = parsed.value;
        if (mayHaveNoEffect && namesrvOption(key)?.effect === 'none') withoutEffect.add(key);
      } else {
        const list = parsed.problem.kind === 'unknown' ? warnings : problems;
        list.push(where + describeOptionProblem(parsed.problem));
      }
    }
  };
  apply(file?.settings ?? [], true);
  // Updates go to the file that was read, wherever the file itself says (reference: nameserver 5.1).
  if (args.configFile !== undefined) values['configStorePath'] = args.configFile;
  apply(readEnvironment(environment), false);
  apply(args.settings, true);
  if (problems.length > 0)
    throw new Exit(ExitCode.CONFIG, ['mqnamesrv: the configuration cannot be used:', ...problems].join('\n'));
  return {
    options: resolveNamesrvOptions(values as NamesrvOptions),
    fileProperties: new Map((file?.settings ?? []).map(({ key, text }) => [key, text])),
    warnings,
    withoutEffect: [...withoutEffect],
  };
}

/** The lines of `-p`: every option in the order of the table, an unset one empty (reference: nameserver 5.2). */
export function printConfigItems(options: ResolvedNamesrvOptions): string {
  const { scanPeriodMillis } = profiles[options.profile];
  const effective = {
    ...options,
    scanNotActiveBrokerInterval: options.scanNotActiveBrokerInterval ?? scanPeriodMillis,
  };
  return namesrvOptionNames.map((name) => `${name}=${effective[name] ?? ''}`).join('\n');
}
