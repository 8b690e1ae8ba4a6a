import { resolve } from 'node:path';
import type { Setting } from '@rmqns/program';
import { formatSocketAddress, parseSocketAddress } from '@rmqns/remoting';
import { type Document, LineCounter, parse, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { AgentConfig, ProbeConfig, TopicSourceConfig } from './agent-config.js';
import { type AgentYaml, agentYamlSchema } from './agent-yaml-schema.js';
import { toHooksConfig } from './hook-yaml-schema.js';
import type { LoadedConfig } from './loaded-config.js';
import type { FileProblem } from './named-files.js';
import { type Complain, type ResolvedAddresses, resolveAddresses } from './resolve-addresses.js';
import type { Surroundings } from './surroundings.js';
import { toTlsConfig } from './tls-yaml-schema.js';
import { valueAt, type YamlPath, YamlPlaces } from './yaml-places.js';

type Source = AgentYaml['topics']['sources'][number];

/**
 * Reads the agent's own YAML; `overrides` name keys by their path, as `register.interval`.
 *
 * @param look what else is looked at once the configuration can be used; default nothing
 */
export function readAgentYaml(
  path: string,
  text: string,
  overrides: readonly Setting[],
  namesrvAddr: string | undefined,
  surroundings: Surroundings,
  look: (config: AgentConfig) => readonly FileProblem[] = () => [],
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
  const written: unknown = document.toJS() ?? {};
  const parsed = agentYamlSchema.safeParse(written);
  if (!parsed.success) for (const issue of parsed.error.issues) problems.push(...describeIssue(issue, places));
  if (typeof written !== 'object' || Array.isArray(written)) return { problems };
  const complain = (key: YamlPath, problem: string): void => void problems.push(places.complaint(key, problem));
  const resolved = resolveAddresses(written, { complain, problems, namesrvAddr, surroundings });
  complainOfTopicsTwice(written, complain);
  const tls = parsed.data?.namesrv.tls;
  const namesrvTls = tls === undefined ? undefined : toTlsConfig(tls, complain);
  if (!parsed.success || problems.length > 0) return { problems };
  const { credentials } = parsed.data.namesrv;
  const config = {
    ...toConfig(parsed.data, resolved),
    ...(namesrvTls === undefined ? {} : { namesrvTls }),
    ...(credentials === undefined
      ? {}
      : { namesrvCredentials: { ...credentials, secretKeyFile: resolve(credentials.secretKeyFile) } }),
  };
  for (const { key, problem } of look(config)) complain(key, problem);
  return problems.length > 0 ? { problems } : { config, notes: resolved.notes };
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

function describeIssue(issue: z.core.$ZodIssue, places: YamlPlaces): string[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => places.complaint([...path, key], 'there is no such key'));
  return [places.complaint(path, issue.message)];
}

function toConfig(yaml: AgentYaml, resolved: ResolvedAddresses): AgentConfig {
  const { namesrvAddresses, host, haServerAddr, filterServers, brokerName } = resolved;
  const { cluster, brokerId, port, permission, zone, heartbeatTimeout, actingMaster } = yaml.identity;
  const { startDelay, interval, timeout, compressed, force, includeBrokerTopics, unregisterOnStop } = yaml.register;
  const { splitSize, changesOnly, onConflict, reconnectJitter } = yaml.register;
  return {
    namesrvAddresses,
    ...toDiscovery(yaml.namesrv, resolved),
    identity: {
      clusterName: cluster,
      brokerName,
      brokerId,
      roleOf: resolved.roleOf,
      brokerAddr: formatSocketAddress(host, port),
      haServerAddr: haServerAddr ?? formatSocketAddress(host, Math.min(port + 1, 65_535)),
      ...(zone === undefined ? {} : { zoneName: zone }),
      heartbeatTimeoutMillis: heartbeatTimeout,
      enableActingMaster: actingMaster,
      brokerPermission: permission,
      filterServers,
    },
    register: {
      periodMillis: interval,
      timeoutMillis: timeout,
      compressed,
      forceRegister: force,
      splitSize,
      changesOnly,
      onConflict,
      includeBrokerTopics,
      unregisterOnStop,
      reconnectJitter,
      startDelayMillis: startDelay,
    },
    topics: {
      sources: yaml.topics.sources.flatMap(toSourceConfigs),
      merge: yaml.topics.merge,
      debounceMillis: yaml.topics.debounce,
      minimum: yaml.topics.minimum,
    },
    health: toHealthConfig(yaml.health),
    stateDirectory: resolve(yaml.state.dir),
    admin: yaml.admin.port === 0 ? undefined : yaml.admin,
    hooks: toHooksConfig(yaml.hooks),
    facade: toFacadeConfig(yaml),
  };
}

function toDiscovery({ dns, refresh }: AgentYaml['namesrv'], { file, addressServer }: ResolvedAddresses) {
  if (!dns && file === undefined && addressServer === undefined) return {};
  return {
    discovery: {
      ...(file === undefined ? {} : { file: resolve(file) }),
      ...(addressServer === undefined ? {} : { addressServer }),
      dns,
      refreshMillis: refresh,
    },
  };
}

/** The one source that an entry of the list holds. */
function toSourceConfigs({ file, broker, http, exec, static: topics }: Source): TopicSourceConfig[] {
  const configs: TopicSourceConfig[] = [];
  if (file !== undefined) configs.push({ kind: 'file', path: resolve(file) });
  if (broker !== undefined) configs.push({ kind: 'broker', address: broker });
  if (http !== undefined) configs.push({ kind: 'http', url: http.url, etag: http.etag, ...toPolling(http) });
  if (exec !== undefined) configs.push({ kind: 'exec', command: exec.command, ...toPolling(exec) });
  if (topics !== undefined)
    configs.push({ kind: 'static', table: new Map(topics.map((topic) => [topic.topicName ?? '', topic])) });
  return configs;
}

/** By default at every address of this machine, on the registered port. */
function toFacadeConfig({ facade: { enabled, listen }, identity }: AgentYaml): AgentConfig['facade'] {
  if (!enabled) return undefined;
  return listen === undefined ? { host: '0.0.0.0', port: identity.port } : parseSocketAddress(listen);
}

function toHealthConfig({ mode, initial, onFailing, probes }: AgentYaml['health']): AgentConfig['health'] {
  if (probes.length === 0) return { onFailing };
  return { onFailing, probing: { mode, initial, probes: probes.flatMap(toProbeConfigs) } };
}

/** The one probe that an entry of the list holds. */
function toProbeConfigs({ tcp, http, exec }: AgentYaml['health']['probes'][number]): ProbeConfig[] {
  const configs: ProbeConfig[] = [];
  if (tcp !== undefined) configs.push({ kind: 'tcp', address: tcp.address, ...toSchedule(tcp) });
  if (http !== undefined) {
    const { url, expect, body } = http;
    configs.push({ kind: 'http', url, expect, ...(body === undefined ? {} : { body }), ...toSchedule(http) });
  }
  if (exec !== undefined) configs.push({ kind: 'exec', command: exec.command, ...toSchedule(exec) });
  return configs;
}

function toSchedule(written: { every: number; timeout: number; rise: number; fall: number }) {
  return { ...toPolling(written), rise: written.rise, fall: written.fall };
}

function toPolling({ every, timeout }: { every: number; timeout: number }) {
  return { everyMillis: every, timeoutMillis: timeout };
}

function complainOfTopicsTwice(written: unknown, complain: Complain): void {
  for (const [source, { static: topics }] of recordsAt(written, ['topics', 'sources'])) {
    const names = new Set<unknown>();
    for (const [index, { topic }] of recordsAt(topics, [])) {
      if (names.has(topic))
        complain(['topics', 'sources', source, 'static', index, 'topic'], `${topic} is there twice`);
      if (typeof topic === 'string') names.add(topic);
    }
  }
}

/** The maps of the list at that path, with their indexes. */
function recordsAt(root: unknown, path: YamlPath): [number, Readonly<Record<string, unknown>>][] {
  const list = valueAt(root, path);
  if (!Array.isArray(list)) return [];
  return [...list.entries()].filter(([, item]) => typeof item === 'object' && item !== null);
}
