import { readFileSync } from 'node:fs';
import { describeFileError, Exit, ExitCode } from '@rmqns/program';
import { decodePropertiesBytes, parseProperties } from '@rmqns/protocol';
import type { ConfigItem } from './config-setting.js';

/**
 * Reads the file of `-c`: its entries, and what is no `.properties` text, in the order of its lines.
 *
 * @throws Exit when it cannot be read
 */
export function readConfigFile(path: string): ConfigItem[] {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const message = `mqnamesrv: cannot read the configuration file ${path}: ${describeFileError(error)}`;
    throw new Exit(ExitCode.FAILED, message, { cause: error });
  }
  const { entries, problems } = parseProperties(decodePropertiesBytes(bytes));
  const settings = entries.map(({ key, value, line, column, valueLine, valueColumn }) => ({
    line,
    item: {
      key,
      text: value,
      source: 'file' as const,
      where: `${path}:${line}:${column} `,
      valueWhere: `${path}:${valueLine}:${valueColumn} `,
    },
  }));
  const complaints = problems.map(({ line, column, problem }) => ({
    line,
    item: { complaint: `${path}:${line}:${column}: ${problem}` },
  }));
  // No line holds two.
  return [...settings, ...complaints].sort((one, other) => one.line - other.line).map(({ item }) => item);
}
