import { isUtf8 } from 'node:buffer';
import { describeFileError, Exit, ExitCode } from '@rmqns/program';
import { type AgentConfig, defaultAdmin } from './agent-config.js';
import { readBrokerConf } from './broker-conf.js';
import type { CliArguments } from './cli-arguments.js';
import type { ConfigFile } from './config-file.js';
import type { LoadedConfig } from './loaded-config.js';
import { problemsOfFiles } from './named-files.js';
import type { Surroundings } from './surroundings.js';

/** The effective configuration, and what was chosen for want of a value, a line for the log each. */
export interface EffectiveConfig {
  readonly config: AgentConfig;
  readonly notes: readonly string[];
}

/** Which file to read, and what of the command line comes before it. */
export type ConfigArguments = Pick<CliArguments, 'namesrvAddr' | 'settings'> &
  Partial<Pick<CliArguments, 'adminPort'>> & {
    readonly configFile: ConfigFile;
    /** Whether certificates, keys and secrets must be there now; default false: an agent waits for them. */
    readonly looksAtFiles?: boolean | undefined;
  };

/**
 * Reads the file of `-c`, a `broker.conf` or the agent's own YAML, under the settings of the command line.
 *
 * @throws Exit when the file cannot be read, and with every problem of the configuration
 */
export async function loadAgentConfig(args: ConfigArguments, surroundings: Surroundings): Promise<EffectiveConfig> {
  const { configFile, adminPort } = args;
  const { path } = configFile;
  const bytes = await readBytes(configFile);
  const loaded =
    formOf(path, bytes.toString('utf8')) === 'yaml'
      ? await readYaml(path, bytes, args, surroundings)
      : readProperties(path, bytes, args, surroundings);
  if (loaded.problems === undefined) return adminPort === undefined ? loaded : withAdminPort(loaded, adminPort);
  throw new Exit(ExitCode.CONFIG, ['rmq-agent: the configuration cannot be used:', ...loaded.problems].join('\n'));
}

function readProperties(
  path: string,
  bytes: Buffer,
  { settings, namesrvAddr, looksAtFiles = false }: ConfigArguments,
  surroundings: Surroundings,
): LoadedConfig {
  const loaded = readBrokerConf(path, bytes, withNamesrvAddr(settings, namesrvAddr), surroundings);
  if (loaded.problems !== undefined || !looksAtFiles) return loaded;
  const problems = problemsOfFiles(loaded.config).map(
    ({ key: [, , name], problem }) => `system property tls.client.${name ?? '*'}: ${problem}`,
  );
  return problems.length > 0 ? { problems } : loaded;
}

function withAdminPort({ config, notes }: EffectiveConfig, port: number): EffectiveConfig {
  return { config: { ...config, admin: port === 0 ? undefined : { ...(config.admin ?? defaultAdmin), port } }, notes };
}

/** By the file's extension, or by its first line that says something: `key = value` is a property, anything else YAML. */
export function formOf(path: string, text: string): 'properties' | 'yaml' {
  if (/\.(?:conf|properties)$/i.test(path)) return 'properties';
  if (/\.ya?ml$/i.test(path)) return 'yaml';
  const first = text.split(/\r\n|\r|\n/).find((line) => /^\s*[^#!\s]/.test(line)) ?? '';
  return /^\s*[\w.]+\s*=/.test(first) ? 'properties' : 'yaml';
}

async function readYaml(
  path: string,
  bytes: Buffer,
  { settings, namesrvAddr, looksAtFiles = false }: ConfigArguments,
  surroundings: Surroundings,
): Promise<LoadedConfig> {
  if (!isUtf8(bytes)) return { problems: [`${path}:${firstLineNotUtf8(bytes)}: is not UTF-8 text`] };
  // Loaded when needed: beside a real broker neither YAML nor its schema is.
  const { readAgentYaml } = await import('./agent-yaml.js');
  const look = looksAtFiles ? problemsOfFiles : undefined;
  return readAgentYaml(path, bytes.toString('utf8'), settings, namesrvAddr, surroundings, look);
}

function firstLineNotUtf8(bytes: Buffer): number {
  // A byte a character, and no character of more bytes holds a line feed.
  const lines = bytes.toString('latin1').split('\n');
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1;
}

async function readBytes(file: ConfigFile): Promise<Buffer> {
  try {
    return await file.read();
  } catch (error) {
    const message = `rmq-agent: cannot read the configuration file ${file.path}: ${describeFileError(error)}`;
    throw new Exit(ExitCode.FAILED, message, { cause: error });
  }
}

function withNamesrvAddr(
  settings: CliArguments['settings'],
  namesrvAddr: string | undefined,
): CliArguments['settings'] {
  return namesrvAddr === undefined ? settings : [...settings, { key: 'namesrvAddr', text: namesrvAddr, where: '-n ' }];
}
