import { readFileSync } from 'node:fs';
import { describeFileError, Exit, ExitCode } from '@rmqns/program';
import { decodePropertiesBytes, parseProperties } from '@rmqns/protocol';
import type { ConfigSetting } from './config-setting.js';

export interface ConfigFile {
  readonly settings: readonly ConfigSetting[];
  /** `file:line:column: problem`, for what is no `.properties` text. */
  readonly problems: readonly string[];
}

/**
 * Reads the file of `-c`.
 *
 * @throws Exit when it cannot be read
 */
export function readConfigFile(path: string): ConfigFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const message = `mqnamesrv: cannot read the configuration file ${path}: ${describeFileError(error)}`;
    throw new Exit(ExitCode.FAILED, message, { cause: error });
  }
  const { entries, problems } = parseProperties(decodePropertiesBytes(bytes));
  return {
    settings: entries.map(({ key, value, line, column, valueLine, valueColumn }) => ({
      key,
      text: value,
      source: 'file',
      where: `${path}:${line}:${column} `,
      valueWhere: `${path}:${valueLine}:${valueColumn} `,
    })),
    problems: problems.map(({ line, column, problem }) => `${path}:${line}:${column}: ${problem}`),
  };
}
