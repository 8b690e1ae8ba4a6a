import { resolve } from 'node:path';
import type { Setting } from '@rmqns/program';
import type { TopicConfig } from '@rmqns/protocol';
import { formatSocketAddress } from '@rmqns/remoting';
import { type Document, isMap, isSeq, LineCounter, parse, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { AgentConfig, TopicSourceConfig } from './agent-config.js';
import { type AgentYaml, agentYamlSchema } from './agent-yaml-schema.js';
import { autoAddress } from './auto-address.js';
import type { LoadedConfig } from './loaded-config.js';
import { checkNamesrvAddresses, parseNamesrvAddr } from './namesrv-addresses.js';
import type { Surroundings } from './surroundings.js';
import { type YamlPath, YamlPlaces } from './yaml-places.js';

/** What the specification of the agent names and this release does not do; said, since ignoring it would be a surprise. */
const notSupportedYet: readonly YamlPath[] = [
  ...['dns', 'addressServer', 'refresh', 'tls', 'credentials'].map((key) => ['namesrv', key]),
  ...['zone', 'heartbeatTimeout', 'actingMaster'].map((key) => ['identity', key]),
  ['register', 'reconnectJitter'],
  ...['health', 'hooks', 'admin', 'facade'].map((key) => [key]),
];
const sourcesNotSupportedYet = ['broker', 'http', 'exec'];

/** Reads the agent's own YAML; `overrides` name keys by their path, as `register.interval`. */
export function readAgentYaml(
  path: string,
  text: string,
  overrides: readonly Setting[],
  namesrvAddr: string | undefined,
  surroundings: Surroundings,
): LoadedConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map((error) => `${path}:${lines.linePos(error.pos[0]).line}: ${error.message}`),
    };
  }
  const places = new YamlPlaces(path, document, lines);
  const problems: string[] = [];
  for (const setting of overrides) override(document, places, setting, problems);
  refuseNotSupportedYet(document, places, problems);
  const parsed = agentYamlSchema.safeParse(document.toJS() ?? {});
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problems.push(...describeIssue(issue, places));
    return { problems };
  }
  const result = toConfig(parsed.data, places, problems, namesrvAddr, surroundings);
  return problems.length > 0 ? { problems } : result;
}

function override(document: Document, places: YamlPlaces, { key, text }: Setting, problems: string[]): void {
  const path = key.split('.');
  places.override(path);
  try {
    document.setIn(path, document.createNode(parse(text)));
  } catch (error) {
    problems.push(places.complaint(path, error instanceof Error ? error.message : String(error)));
  }
}

function refuseNotSupportedYet(document: Document, places: YamlPlaces, problems: string[]): void {
  for (const path of notSupportedYet) {
    if (!isMap(document.getIn(path.slice(0, -1), true)) || !document.hasIn(path)) continue;
    problems.push(places.complaint(path, 'not supported yet'));
    document.deleteIn(path);
  }
  const sources = document.getIn(['topics', 'sources'], true);
  if (!isSeq(sources)) return;
  for (const [index, source] of sources.items.entries()) {
    const kind = sourcesNotSupportedYet.find((name) => isMap(source) && source.has(name));
    if (kind === undefined) continue;
    problems.push(places.complaint(['topics', 'sources', index, kind], 'not supported yet'));
    document.setIn(['topics', 'sources', index], document.createNode({ static: [] }));
  }
}

function describeIssue(issue: z.core.$ZodIssue, places: YamlPlaces): string[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => places.complaint([...path, key], 'there is no such key'));
  return [places.complaint(path, issue.message)];
}

function toConfig(
  yaml: AgentYaml,
  places: YamlPlaces,
  problems: string[],
  namesrvAddr: string | undefined,
  surroundings: Surroundings,
): LoadedConfig {
  const notes: string[] = [];
  const namesrv =
    namesrvAddr === undefined && yaml.namesrv.addresses !== undefined
      ? checkNamesrvAddresses(yaml.namesrv.addresses)
      : parseNamesrvAddr(namesrvAddr ?? surroundings.variables['NAMESRV_ADDR'] ?? '');
  for (const problem of namesrv.problems) {
    problems.push(
      namesrvAddr === undefined ? places.complaint(['namesrv', 'addresses'], problem) : `-n namesrvAddr: ${problem}`,
    );
  }
  const { address, port, haAddress, brokerName = surroundings.hostName } = yaml.identity;
  const complain = (key: string) => (problem: string) =>
    void problems.push(places.complaint(['identity', key], problem));
  const host = resolveHost(address, 'address', surroundings, notes, complain('address'));
  if (brokerName === '') complain('brokerName')('must be set: this machine has no name');
  const { startDelay, interval, timeout, compressed, force, includeBrokerTopics, unregisterOnStop } = yaml.register;
  const config: AgentConfig = {
    namesrvAddresses: namesrv.addresses,
    identity: {
      clusterName: yaml.identity.cluster,
      brokerName,
      brokerId: yaml.identity.brokerId,
      brokerAddr: formatSocketAddress(host, port),
      haServerAddr: resolveHaAddress(haAddress, host, port, complain('haAddress')),
      brokerPermission: yaml.identity.permission,
      filterServers: yaml.identity.filterServers,
    },
    register: {
      periodMillis: interval,
      timeoutMillis: timeout,
      compressed,
      forceRegister: force,
      includeBrokerTopics,
      unregisterOnStop,
      startDelayMillis: startDelay,
    },
    topics: {
      sources: yaml.topics.sources.map(({ file, static: topics }, index): TopicSourceConfig => {
        if (file !== undefined) return { kind: 'file', path: resolve(file) };
        return {
          kind: 'static',
          table: staticTable(topics ?? [], ['topics', 'sources', index, 'static'], places, problems),
        };
      }),
      debounceMillis: yaml.topics.debounce,
      minimum: yaml.topics.minimum,
    },
    stateDirectory: resolve(yaml.state.dir),
  };
  return { config, notes };
}

/** `auto`, `auto:INTERFACE`, or what is there. */
function resolveHost(
  address: string,
  key: string,
  surroundings: Surroundings,
  notes: string[],
  complain: (problem: string) => void,
): string {
  const [, interfaceName] = /^auto(?::(.+))?$/.exec(address) ?? [];
  if (address !== 'auto' && interfaceName === undefined) {
    if (/[\s[\]/;]/.test(address)) complain(`${JSON.stringify(address)} is no address`);
    return address;
  }
  const own = autoAddress(surroundings.networkInterfaces, interfaceName);
  if (own.problem !== undefined) {
    complain(`${own.problem}; write the address that clients dial`);
    return '';
  }
  notes.push(`identity.${key} is ${address}: took ${own.address} of interface ${own.interfaceName}`);
  return own.address;
}

/** `auto` is the port after the broker's own, at the same address, as a broker has it. */
function resolveHaAddress(haAddress: string, host: string, port: number, complain: (problem: string) => void): string {
  if (haAddress === 'auto') return formatSocketAddress(host, Math.min(port + 1, 65_535));
  const { addresses, problems } = checkNamesrvAddresses([haAddress]);
  for (const problem of problems) complain(problem);
  return addresses[0] ?? '';
}

function staticTable(
  topics: readonly TopicConfig[],
  path: YamlPath,
  places: YamlPlaces,
  problems: string[],
): Map<string, TopicConfig> {
  const table = new Map<string, TopicConfig>();
  for (const [index, config] of topics.entries()) {
    const name = config.topicName ?? '';
    if (table.has(name)) problems.push(places.complaint([...path, index, 'topic'], `${name} is there twice`));
    table.set(name, config);
  }
  return table;
}
