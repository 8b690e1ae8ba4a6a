import { readFileSync } from 'node:fs';
import { describeFileError, Exit, ExitCode, type Setting } from '@rmqns/program';
import { decodePropertiesBytes, parseProperties } from '@rmqns/protocol';

export interface ConfigFile {
  readonly settings: readonly Setting[];
  /** `file:line: problem`, for what is no `.properties` text. */
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
    settings: entries.map(({ key, value, line }) => ({ key, text: value, where: `${path}:${line} ` })),
    problems: problems.map(({ line, problem }) => `${path}:${line}: ${problem}`),
  };
}
