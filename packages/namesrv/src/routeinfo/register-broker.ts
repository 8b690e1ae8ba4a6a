import {
  MASTER_ID,
  PermName,
  type QueueData,
  type TopicConfig,
  type TopicConfigSerializeWrapper,
  type TopicSlices,
} from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { ConflictKind } from '../namesrv-event.js';
import type { Steps } from '../sliced-work.js';
import type { ReadableBrokerGroup } from './broker-addr-table.js';
import type { BrokerConnection, BrokerLiveInfo } from './broker-live-table.js';
import { brokerState, sameBrokerState } from './broker-state.js';
import { inConcurrentJavaOrder } from './java-hash-order.js';
import { type BodyKey, topicsRole } from './kept-body.js';
import { ownString } from './own-string.js';
import { removeBroker } from './remove-broker.js';
import type { GroupMember, RouteTables } from './route-tables.js';
import { sameVersion } from './same-version.js';

/** One broker's registration, decoded and complete. */
export interface BrokerRegistration {
  readonly clusterName: string;
  readonly brokerAddr: string;
  readonly brokerName: string;
  /** 0 is the master. */
  readonly brokerId: Long;
  readonly haServerAddr?: string | undefined;
  /** 5.x. */
  readonly zoneName?: string | undefined;
  /** 5.x: how long the broker may be silent. The server's default when absent, and when it is no time: below 1, or past 2^53 - 1. */
  readonly heartbeatTimeoutMillis?: number | undefined;
  /** 5.x: absent when the header did not have it; true and false both let a prime slave register its topics. */
  readonly enableActingMaster?: boolean | undefined;
  /** A null topicConfigTable is one without topics. */
  readonly topicConfigWrapper: TopicConfigSerializeWrapper;
  /** Null leaves the list alone, an empty one removes it. */
  readonly filterServerList: readonly string[] | null;
  /** What the body is known by; absent where there is none, or where what it says depends on when it is read. */
  readonly bodyKey?: BodyKey | undefined;
  /** Whether the body is the one that is kept, whose topics are not given again. */
  readonly isUnchanged?: boolean | undefined;
  /** What the next body is to be compared with. */
  readonly slices?: TopicSlices | undefined;
  readonly connection: BrokerConnection;
}

/** What an operator decides about registrations. */
export interface RegistrationRules {
  /** Silence after which a broker that named no time of its own is dropped. */
  readonly defaultHeartbeatTimeoutMillis: number;
  /** 5.x: whether a topic that a broker no longer registers loses its queues there. */
  readonly deleteTopicWithBrokerRegistration: boolean;
}

/** The master's addresses are there for a slave whose master is registered and heard. */
export type RegisterBrokerResult =
  | { readonly ok: true; readonly masterAddr?: string | undefined; readonly haServerAddr?: string | undefined }
  | { readonly ok: false; readonly remark: string };

/** Topics, or mappings of static ones, that are put in one step, which takes a fraction of a millisecond. */
const STEP_TOPICS = 100;
/** Topics whose names are compared in one step. */
const STEP_NAMES = 10_000;

/**
 * Registers a broker as the profile's release does (reference: nameserver 3.4), with two differences: what is refused leaves no trace,
 * and a null topic table is an empty one in every profile.
 *
 * In steps: the first does all but put the topics. When the broker has left or registered again before the last, the rest is left undone.
 */
export function* registerBroker(
  tables: RouteTables,
  registration: BrokerRegistration,
  nowMillis: number,
  rules: RegistrationRules,
): Steps<RegisterBrokerResult> {
  const { profile, brokerAddrTable, brokerLiveTable } = tables;
  const { clusterName, brokerAddr, brokerName, brokerId, topicConfigWrapper } = registration;
  const topicConfigs = topicConfigWrapper.topicConfigTable;
  const nameless = namelessTopic(topicConfigs);
  if (nameless !== undefined) {
    return { ok: false, remark: `register broker failed: the topic config under key "${nameless}" has no topicName` };
  }
  const known = brokerAddrTable.group(brokerName);
  const holderAddr = known?.addrOf(brokerId);
  if (known !== undefined && profile.fiveX && isStale(tables, registration, holderAddr)) {
    refuseStale(tables, registration, holderAddr);
    return { ok: true };
  }
  // 5.x: a one-topic registration is an increment, which must follow a full one.
  if (profile.refusesSingleTopicFirst && holderAddr === undefined && topicConfigs?.size === 1) {
    return { ok: false, remark: 'register broker failed' };
  }

  const before = brokerLiveTable.get(clusterName, brokerAddr, brokerName);
  const beforeState = before && brokerState(tables, before);
  const versionChanged =
    before === undefined || !sameVersion(profile, before.dataVersion, topicConfigWrapper.dataVersion);
  const registerFirst = holderAddr === undefined;
  noteConflicts(tables, registration, known, holderAddr);
  const member = memberOf(registration, profile.fiveX);
  const formerMinId = known?.minId;
  const groupChanged = tables.putMember(member);
  const live = tables.putLive({
    clusterName: member.clusterName,
    brokerAddr: member.brokerAddr,
    brokerName: member.brokerName,
    brokerId,
    dataVersion: topicConfigWrapper.dataVersion,
    haServerAddr: registration.haServerAddr,
    heartbeatTimeoutMillis: heartbeatTimeoutOf(tables, registration, rules),
    lastUpdateMillis: nowMillis,
    connection: registration.connection,
  });
  if (registration.filterServerList !== null) {
    tables.putFilterServers(clusterName, brokerAddr, registration.filterServerList);
  }
  const broker = { cause: 'register', cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr } as const;
  const after = brokerState(tables, live);
  if (beforeState === undefined) {
    tables.events.record({ type: 'broker.registered', ...broker, after });
  } else if (groupChanged || !sameBrokerState(tables, beforeState, after)) {
    tables.events.record({ type: 'broker.updated', ...broker, before: beforeState, after });
  }
  const group = brokerAddrTable.group(brokerName);
  if (group === undefined) return { ok: true };
  const changed = versionChanged || registerFirst;
  const place = { group, live, changed, deleteOthers: rules.deleteTopicWithBrokerRegistration };
  if (yield* putTopics(tables, registration, place)) {
    // An unchanged version puts only what is missing, and so what stands there may be somebody else's.
    const isInStep = changed || (registration.isUnchanged === true && before?.keptBody?.isInStep === true);
    keepBody(tables, registration, group, live, isInStep);
  }
  if (profile.fiveX && formerMinId !== undefined && brokerId < formerMinId)
    noteMinBrokerId(tables, registration, group);
  return masterOf(tables, registration, group);
}

function keepBody(
  tables: RouteTables,
  registration: BrokerRegistration,
  group: ReadableBrokerGroup,
  live: BrokerLiveInfo,
  isInStep: boolean,
): void {
  const { bodyKey: key, slices, topicConfigWrapper, filterServerList } = registration;
  if (key === undefined) return;
  const { dataVersion } = topicConfigWrapper;
  const role = topicsRole(tables, registration, group);
  const { topicChanges } = group;
  // Nothing of a slave's is there that could be out of step.
  const inStep = isInStep || role === 'none';
  tables.keepBody(live, { key, slices, dataVersion, filterServerList, group, role, topicChanges, isInStep: inStep });
}

/** All others are told; a group of one tells that one (reference: nameserver 3.6). */
function noteMinBrokerId(tables: RouteTables, registration: BrokerRegistration, group: ReadableBrokerGroup): void {
  const { brokerName, brokerId, brokerAddr, haServerAddr } = registration;
  const members = [...group.data.brokerAddrs.values()];
  tables.events.record({
    type: 'min-broker-id.changed',
    cause: 'register',
    cluster: group.cluster,
    broker: brokerName,
    minBrokerId: brokerId,
    minBrokerAddr: brokerAddr,
    haBrokerAddr: haServerAddr,
    recipients: members.length === 1 ? members : members.filter((addr) => addr !== brokerAddr),
  });
}

/** How long the broker may be silent. */
export function heartbeatTimeoutOf(
  { profile }: RouteTables,
  { heartbeatTimeoutMillis }: Pick<BrokerRegistration, 'heartbeatTimeoutMillis'>,
  { defaultHeartbeatTimeoutMillis }: RegistrationRules,
): number {
  return (profile.fiveX ? sane(heartbeatTimeoutMillis) : undefined) ?? defaultHeartbeatTimeoutMillis;
}

/** Milliseconds that can be waited. */
function sane(timeoutMillis: number | undefined): number | undefined {
  return timeoutMillis !== undefined && timeoutMillis > 0 && timeoutMillis <= Number.MAX_SAFE_INTEGER
    ? timeoutMillis
    : undefined;
}

/** The key of the first topic config that names no topic. */
function namelessTopic(topicConfigs: ReadonlyMap<string, TopicConfig> | null): string | undefined {
  if (topicConfigs === null) return undefined;
  let place = 0;
  // In one step: a list of pairs would take three times as long.
  for (const { topicName } of topicConfigs.values()) {
    if (!topicName) return [...topicConfigs.keys()][place]?.slice(0, 127);
    place += 1;
  }
  return undefined;
}

/** 5.x: whether the id is held by another live address whose stateVersion is higher (reference: nameserver 3.4 step 5). */
function isStale(tables: RouteTables, registration: BrokerRegistration, holderAddr: string | undefined): boolean {
  if (!holderAddr || holderAddr === registration.brokerAddr) return false;
  const holder = tables.brokerLiveTable.get(registration.clusterName, holderAddr, registration.brokerName);
  return (
    holder !== undefined && holder.dataVersion.stateVersion > registration.topicConfigWrapper.dataVersion.stateVersion
  );
}

/** As in Apache the loser also leaves the place it had, for instance as the slave it no longer wants to be. */
function refuseStale(tables: RouteTables, registration: BrokerRegistration, holderAddr: string | undefined): void {
  recordConflict(tables, registration, 'stale_version', registration.clusterName, holderAddr);
  const { clusterName, brokerAddr, brokerName } = registration;
  const own = tables.brokerLiveTable.get(clusterName, brokerAddr, brokerName);
  if (own !== undefined) removeBroker(tables, own, 'conflict');
}

function noteConflicts(
  tables: RouteTables,
  registration: BrokerRegistration,
  group: ReadableBrokerGroup | undefined,
  holderAddr: string | undefined,
): void {
  if (group === undefined) return;
  const { clusterName, brokerAddr, brokerName, brokerId } = registration;
  if (group.cluster !== clusterName && !tables.clusterAddrTable.lists(clusterName, brokerName)) {
    recordConflict(tables, registration, 'name_in_two_clusters', group.cluster, holderAddr);
  }
  if (holderAddr && holderAddr !== brokerAddr) {
    const kind = brokerId === MASTER_ID ? 'master_switch' : 'address_moved';
    recordConflict(tables, registration, kind, group.cluster, holderAddr);
  }
}

function recordConflict(
  tables: RouteTables,
  registration: BrokerRegistration,
  kind: ConflictKind,
  cluster: string,
  addr: string | undefined,
): void {
  const { clusterName, brokerAddr, brokerName, brokerId } = registration;
  const holder = addr === undefined ? undefined : tables.brokerLiveTable.get(cluster, addr, brokerName);
  tables.events.record({
    type: 'broker.conflict',
    cause: 'register',
    kind,
    cluster: clusterName,
    broker: brokerName,
    brokerId,
    addr: brokerAddr,
    before: { cluster, addr, stateVersion: holder?.dataVersion.stateVersion },
    after: {
      cluster: clusterName,
      addr: brokerAddr,
      stateVersion: registration.topicConfigWrapper.dataVersion.stateVersion,
    },
  });
}

/** The names in memory of their own. */
function memberOf(registration: BrokerRegistration, fiveX: boolean): GroupMember {
  const { zoneName } = registration;
  return {
    clusterName: ownString(registration.clusterName),
    brokerName: ownString(registration.brokerName),
    brokerId: registration.brokerId,
    brokerAddr: ownString(registration.brokerAddr),
    zoneName: fiveX && zoneName !== undefined ? ownString(zoneName) : undefined,
    enableActingMaster: fiveX && registration.enableActingMaster === true,
  };
}

/** Where a registration's topics go. */
interface TopicsPlace {
  readonly group: ReadableBrokerGroup;
  /** The entry of this registration. */
  readonly live: BrokerLiveInfo;
  /** Whether the version is another than the last. */
  readonly changed: boolean;
  readonly deleteOthers: boolean;
}

/** Returns false when the topics are not all as the registration said: it gave up, not being the broker's last any more, or somebody else changed some. */
function* putTopics(tables: RouteTables, registration: BrokerRegistration, place: TopicsPlace): Steps<boolean> {
  const { group, live, changed, deleteOthers } = place;
  const { topicConfigWrapper } = registration;
  const { fiveX } = tables.profile;
  const role = topicsRole(tables, registration, group);
  if (role === 'none') return true;
  if (fiveX && deleteOthers) deleteUnregistered(tables, topicConfigWrapper, group);
  let isUndisturbed = true;
  let { topicChanges } = group;
  /** After others had their turn: false when the rest is not to be put any more. */
  const goesOn = (): boolean => {
    isUndisturbed &&= group.topicChanges === topicChanges;
    return tables.isCurrent(live) && tables.brokerAddrTable.group(group.brokerName) === group;
  };
  function* pause(): Steps<boolean> {
    topicChanges = group.topicChanges;
    yield;
    return goesOn();
  }
  const configs = yield* topicsInOrder(topicConfigWrapper.topicConfigTable);
  if (!goesOn()) return false;
  let step = 0;
  for (const config of configs) {
    const topic = config.topicName;
    if (!topic) continue;
    if (++step % STEP_TOPICS === 0 && !(yield* pause())) return false;
    // 5.x also brings back what was deleted here meanwhile.
    if (!changed && !(fiveX && !tables.topicQueueTable.hasEntry(topic, group.brokerName))) continue;
    const queueData = queueDataOf(config, group.brokerName, role === 'read-only');
    tables.putQueueData(topic, queueData, group.cluster, 'register');
  }
  if (!fiveX || !changed) return isUndisturbed;
  for (const [topic, info] of topicConfigWrapper.topicQueueMappingInfoMap) {
    if (++step % STEP_TOPICS === 0 && !(yield* pause())) return false;
    tables.putMapping(topic, info, group.cluster, 'register');
  }
  return isUndisturbed;
}

/** Where topics stand under other keys than their names, two may be one: then the last in the order of Apache's table counts. */
function* topicsInOrder(topicConfigs: ReadonlyMap<string, TopicConfig> | null): Steps<Iterable<TopicConfig>> {
  if (topicConfigs === null) return [];
  let step = 0;
  const keys = topicConfigs.keys();
  for (const { topicName } of topicConfigs.values()) {
    if (keys.next().value !== topicName) return yield* inConcurrentJavaOrder(topicConfigs);
    if (++step % STEP_NAMES === 0) yield;
  }
  return topicConfigs.values();
}

/**
 * 5.1.4 and later, by option: what a broker no longer registers goes (reference: nameserver 3.4 step 9a). As in Apache a registration is
 * taken for all that the broker has, be it a part, unless it comes with mappings of static topics.
 */
function deleteUnregistered(
  tables: RouteTables,
  { topicConfigTable, topicQueueMappingInfoMap }: TopicConfigSerializeWrapper,
  group: ReadableBrokerGroup,
): void {
  if (topicConfigTable === null || topicQueueMappingInfoMap.size > 0) return;
  for (const topic of tables.topicQueueTable.topicsOf(group.brokerName)) {
    if (!topicConfigTable.has(topic)) tables.removeQueueData(topic, group.brokerName, group.cluster, 'register');
  }
}

function queueDataOf(config: TopicConfig, brokerName: string, readOnly: boolean): QueueData {
  return {
    brokerName,
    readQueueNums: config.readQueueNums,
    writeQueueNums: config.writeQueueNums,
    perm: readOnly ? config.perm & ~PermName.WRITE : config.perm,
    topicSysFlag: config.topicSysFlag,
  };
}

/** The addresses that a slave is told. */
export function masterOf(
  tables: RouteTables,
  registration: Pick<BrokerRegistration, 'clusterName' | 'brokerName' | 'brokerId'>,
  group: ReadableBrokerGroup,
): RegisterBrokerResult {
  if (registration.brokerId === MASTER_ID) return { ok: true };
  const masterAddr = group.addrOf(MASTER_ID);
  if (masterAddr === undefined) return { ok: true };
  const master = tables.brokerLiveTable.get(registration.clusterName, masterAddr, registration.brokerName);
  return master === undefined ? { ok: true } : { ok: true, masterAddr, haServerAddr: master.haServerAddr };
}
