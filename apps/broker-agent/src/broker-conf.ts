import { join, resolve } from 'node:path';
import type { Setting } from '@rmqns/program';
import { decodePropertiesBytes, MASTER_ID, PermName, parseProperties } from '@rmqns/protocol';
import { formatSocketAddress } from '@rmqns/remoting';
import { type BrokerIdentity, defaultAdmin } from './agent-config.js';
import { autoAddress, describeAutoAddress } from './auto-address.js';
import { readBrokerTls } from './broker-conf-tls.js';
import { hostProblem } from './host-problem.js';
import { javaSystemProperties } from './java-system-properties.js';
import type { LoadedConfig } from './loaded-config.js';
import { parseNamesrvAddr } from './namesrv-addresses.js';
import { addressServerUrl } from './polled-name-servers.js';
import { PropertyReader } from './property-reader.js';
import type { Surroundings } from './surroundings.js';

const MAX_INT = 2147483647;
const MIN_PERIOD_MILLIS = 10_000;
const MAX_PERIOD_MILLIS = 60_000;

/**
 * Reads a real broker's `broker.conf` (reference: broker registration 1.3 and 6.3). What has nothing to do with registering is accepted
 * silently, since such a file is made for the broker.
 */
export function readBrokerConf(
  path: string,
  bytes: Uint8Array,
  overrides: readonly Setting[],
  surroundings: Surroundings,
): LoadedConfig {
  const { entries, problems: malformed } = parseProperties(decodePropertiesBytes(bytes));
  const settings = entries.map(({ key, value, line }) => ({ key, text: value, where: `${path}:${line} ` }));
  const environment = {
    key: 'namesrvAddr',
    text: surroundings.variables['NAMESRV_ADDR'] ?? '',
    where: 'environment NAMESRV_ADDR, ',
  };
  const reader = new PropertyReader(
    [environment, ...settings, ...overrides].filter(({ key, text }) => key !== 'namesrvAddr' || text !== ''),
  );
  const notes: string[] = [];
  const { namesrvAddresses, discovery } = readNameServers(reader, path, surroundings);
  const identity = readIdentity(reader, path, surroundings, notes);
  const storePathRootDir = readStorePath(reader, surroundings);
  const period = reader.integer('registerNameServerPeriod', 30_000, 0, MAX_INT);
  const config = {
    namesrvAddresses,
    ...(discovery === undefined ? {} : { discovery }),
    ...readBrokerTls(reader, surroundings),
    identity,
    register: {
      periodMillis: Math.max(MIN_PERIOD_MILLIS, Math.min(period, MAX_PERIOD_MILLIS)),
      timeoutMillis: reader.integer('registerBrokerTimeoutMills', 6_000, 1, MAX_INT),
      compressed: reader.boolean('compressedRegister', false),
      forceRegister: reader.boolean('forceRegister', true),
      splitSize: reader.boolean('enableSplitRegistration', false)
        ? reader.integer('splitRegistrationSize', 800, 1, MAX_INT)
        : undefined,
      heartbeatIntervalMillis: identity.enableActingMaster
        ? reader.integer('brokerHeartbeatInterval', 1_000, 1, MAX_INT)
        : undefined,
      compatibleWithOldNameSrv: reader.boolean('compatibleWithOldNameSrv', true),
      changesOnly: false,
      onConflict: 'standBack' as const,
      includeBrokerTopics: false,
      unregisterOnStop: true,
      startDelayMillis: 0,
    },
    topics: {
      sources: [{ kind: 'file' as const, path: join(storePathRootDir, 'config', 'topics.json') }],
      debounceMillis: 500,
      minimum: 0,
    },
    health: { onFailing: 'unregister' as const },
    stateDirectory: join(storePathRootDir, 'config', 'rmq-agent'),
    storeDirectory: storePathRootDir,
    admin: defaultAdmin,
  };
  const problems = [...malformed.map(({ line, problem }) => `${path}:${line}: ${problem}`), ...reader.problems];
  return problems.length > 0 ? { problems } : { config, notes };
}

/** As a broker does: the address server is for one without a list (reference: broker registration 1.3 and 3.3). */
function readNameServers(reader: PropertyReader, path: string, { variables }: Surroundings) {
  const list = reader.text('namesrvAddr') ?? '';
  const fromServer = reader.boolean('fetchNamesrvAddrByAddressServer', false) && list === '';
  const dns = reader.boolean('fetchNameSrvAddrByDnsLookup', false);
  const interval = fromServer ? 'fetchNamesrvAddrInterval' : 'updateNameServerAddrPeriod';
  const refreshMillis = fromServer || dns ? reader.integer(interval, 10_000, 1_000, MAX_INT) : 0;
  if (fromServer) {
    const domain = addressServerDomain(reader, variables);
    const addressServer = addressServerUrl(domain.name, domain.subGroup);
    if (!URL.canParse(addressServer))
      reader.complain('rmqAddressServerDomain', `${JSON.stringify(domain.name)} is no host`);
    return { namesrvAddresses: [], discovery: { addressServer, dns, refreshMillis } };
  }
  const { addresses: namesrvAddresses, problems } = parseNamesrvAddr(list);
  for (const problem of problems) complainAt(reader, path, 'namesrvAddr', problem);
  return { namesrvAddresses, discovery: dns ? { dns, refreshMillis } : undefined };
}

/** Java's system properties of that purpose come out of `JAVA_OPT`, where users of Apache's scripts put them. */
function addressServerDomain(reader: PropertyReader, variables: Surroundings['variables']) {
  const system = javaSystemProperties(variables);
  const property = (key: string, name: string, fallback: string): string =>
    reader.text(key)?.trim() ?? reader.text(name)?.trim() ?? system[name] ?? fallback;
  return {
    name: property('rmqAddressServerDomain', 'rocketmq.namesrv.domain', 'jmenv.tbsite.net'),
    subGroup: property('rmqAddressServerSubGroup', 'rocketmq.namesrv.domain.subgroup', 'nsaddr'),
  };
}

function readIdentity(reader: PropertyReader, path: string, surroundings: Surroundings, notes: string[]) {
  const brokerName = readName(reader, 'brokerName', notes) ?? (surroundings.hostName || 'DEFAULT_BROKER');
  const listenPort = reader.integer('listenPort', 10_911, 1, 65_535);
  const haListenPort = reader.integer('haListenPort', Math.min(listenPort + 1, 65_535), 1, 65_535);
  const own = autoAddress(surroundings.networkInterfaces);
  let brokerIP1 = reader.text('brokerIP1')?.trim();
  if (brokerIP1 === undefined && own.problem === undefined) {
    brokerIP1 = own.address;
    notes.push(`brokerIP1 is not set: ${describeAutoAddress(own)}`);
  }
  if (brokerIP1 === undefined) complainAt(reader, path, 'brokerIP1', `must be set: ${own.problem}`);
  const host = checkHost(reader, 'brokerIP1', brokerIP1 ?? '');
  const haHost = checkHost(
    reader,
    'brokerIP2',
    reader.text('brokerIP2')?.trim() ?? (own.problem === undefined ? own.address : host),
  );
  const enableActingMaster = reader.boolean('enableSlaveActingMaster', false);
  const brokerAddr = formatSocketAddress(host, listenPort);
  // Such brokers choose their master among themselves.
  const choosesMaster = reader.boolean('enableDLegerCommitLog', false) || reader.boolean('enableControllerMode', false);
  // Of its JVM alone, as in a broker; the mode beside it is for those who ask for routes.
  const { ROCKETMQ_ZONE = '' } = surroundings.variables;
  const zoneName = (javaSystemProperties(surroundings.variables)['rocketmq.zone'] ?? ROCKETMQ_ZONE).trim();
  const identity: BrokerIdentity = {
    clusterName: readName(reader, 'brokerClusterName', notes) ?? 'DefaultCluster',
    brokerName,
    brokerId: readBrokerId(reader, path, notes),
    roleOf: choosesMaster ? brokerAddr : undefined,
    brokerAddr,
    haServerAddr: formatSocketAddress(haHost, haListenPort),
    ...(zoneName === '' ? {} : { zoneName }),
    heartbeatTimeoutMillis: enableActingMaster
      ? reader.integer('brokerNotActiveTimeoutMillis', 10_000, 1, MAX_INT)
      : undefined,
    enableActingMaster,
    brokerPermission: reader.integer('brokerPermission', PermName.READ | PermName.WRITE, 0, 15),
    filterServers: [],
  };
  return identity;
}

/** Masters have id 0 whatever the file says; slaves must have another (reference: broker registration 1.3). */
function readBrokerId(reader: PropertyReader, path: string, notes: string[]): number {
  const role = reader.text('brokerRole')?.trim() ?? 'ASYNC_MASTER';
  const brokerId = reader.integer('brokerId', MASTER_ID, -1, MAX_INT);
  if (role === 'SLAVE') {
    if (brokerId <= MASTER_ID) complainAt(reader, path, 'brokerId', 'must be greater than 0 for a SLAVE');
    return brokerId;
  }
  if (role !== 'ASYNC_MASTER' && role !== 'SYNC_MASTER') {
    reader.complain('brokerRole', `${JSON.stringify(role)} is none of ASYNC_MASTER, SYNC_MASTER, SLAVE`);
  } else if (brokerId !== MASTER_ID) {
    notes.push(`brokerId ${brokerId} of a ${role} counts as ${MASTER_ID}, as in a broker`);
  }
  return MASTER_ID;
}

function readName(reader: PropertyReader, key: string, notes: string[]): string | undefined {
  const name = reader.text(key);
  if (name?.trim() === '') reader.complain(key, 'is blank');
  else if (name !== undefined && name !== name.trimEnd())
    notes.push(`${key} ${JSON.stringify(name)} ends in a blank, which is part of it as in a broker`);
  return name;
}

function checkHost(reader: PropertyReader, key: string, host: string): string {
  const problem = host === '' ? undefined : hostProblem(host);
  if (problem !== undefined) reader.complain(key, problem);
  return host;
}

/** For what must be said also about a key that nobody wrote. */
function complainAt(reader: PropertyReader, path: string, key: string, problem: string): void {
  if (reader.where(key) === '') reader.problems.push(`${path} ${key}: ${problem}`);
  else reader.complain(key, problem);
}

function readStorePath(reader: PropertyReader, { homeDirectory }: Surroundings): string {
  const text = reader.text('storePathRootDir');
  if (text === undefined && homeDirectory === undefined)
    reader.complain('storePathRootDir', 'must be given: the default is in the home directory, and this user has none');
  return resolve(text ?? join(homeDirectory ?? '/', 'store'));
}
