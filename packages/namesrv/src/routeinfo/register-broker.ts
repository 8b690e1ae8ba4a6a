import {
  type BrokerData,
  type QueueData,
  sameDataVersion,
  type TopicConfig,
  type TopicConfigSerializeWrapper,
} from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { ConflictKind } from '../namesrv-event.js';
import { withMember } from './broker-addr-table.js';
import type { BrokerConnection, BrokerLiveInfo } from './broker-live-table.js';
import { brokerState, sameBrokerState } from './broker-state.js';
import { ownString } from './own-string.js';
import { removeBroker } from './remove-broker.js';
import type { RouteTables } from './route-tables.js';

const MASTER_ID = 0;
const WRITE = 2;

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
  /** 5.x: how long the broker may be silent; the server's default when absent. */
  readonly heartbeatTimeoutMillis?: number | undefined;
  /** 5.x: absent when the header did not have it; true and false both let a prime slave register its topics. */
  readonly enableActingMaster?: boolean | undefined;
  /** A null topicConfigTable is one without topics. */
  readonly topicConfigWrapper: TopicConfigSerializeWrapper;
  /** Null leaves the list alone, an empty one removes it. */
  readonly filterServerList: readonly string[] | null;
  readonly connection: BrokerConnection;
}

/** The master's addresses are there for a slave whose master is registered and heard. */
export type RegisterBrokerResult =
  | { readonly ok: true; readonly masterAddr?: string | undefined; readonly haServerAddr?: string | undefined }
  | { readonly ok: false; readonly remark: string };

/**
 * Registers a broker as the profile's release does (reference: nameserver 3.4), with two differences: what is refused leaves no trace,
 * and a null topic table is an empty one in every profile.
 */
export function registerBroker(
  tables: RouteTables,
  registration: BrokerRegistration,
  nowMillis: number,
  defaultHeartbeatTimeoutMillis: number,
): RegisterBrokerResult {
  const { profile, brokerAddrTable, brokerLiveTable } = tables;
  const { clusterName, brokerAddr, brokerName, brokerId, topicConfigWrapper } = registration;
  const topicConfigs = topicConfigWrapper.topicConfigTable;
  const nameless = namelessTopic(topicConfigs);
  if (nameless !== undefined) {
    return { ok: false, remark: `register broker failed: the topic config under key "${nameless}" has no topicName` };
  }
  const group = brokerAddrTable.get(brokerName);
  const holderAddr = group?.brokerAddrs.get(brokerId);
  if (group !== undefined && profile.fiveX && isStale(tables, registration, holderAddr)) {
    refuseStale(tables, registration, holderAddr);
    return { ok: true };
  }
  // 5.x: a one-topic registration is an increment, which must follow a full one.
  if (profile.refusesSingleTopicFirst && holderAddr === undefined && topicConfigs?.size === 1) {
    return { ok: false, remark: 'register broker failed' };
  }

  const before = brokerLiveTable.get(clusterName, brokerAddr);
  const beforeState = before && brokerState(before, tables.filterServerTable);
  const versionChanged = before === undefined || !sameDataVersion(before.dataVersion, topicConfigWrapper.dataVersion);
  const registerFirst = group === undefined || !holderAddr;
  noteConflicts(tables, registration, group, holderAddr);
  if (tables.clusterAddrTable.add(ownString(clusterName), ownString(brokerName))) {
    tables.events.record({ type: 'cluster.added', cause: 'register', cluster: clusterName });
  }
  const members = groupWith(tables, registration, group);
  const groupChanged = tables.putGroup(members);
  const live: BrokerLiveInfo = {
    clusterName: before?.clusterName ?? ownString(clusterName),
    brokerAddr: before?.brokerAddr ?? ownString(brokerAddr),
    brokerName: members.brokerName,
    brokerId,
    incarnation: tables.nextIncarnation(),
    dataVersion: topicConfigWrapper.dataVersion,
    haServerAddr: registration.haServerAddr,
    heartbeatTimeoutMillis:
      (profile.fiveX ? registration.heartbeatTimeoutMillis : undefined) ?? defaultHeartbeatTimeoutMillis,
    lastUpdateMillis: nowMillis,
    connection: registration.connection,
  };
  brokerLiveTable.put(live);
  if (registration.filterServerList !== null) {
    tables.putFilterServers(clusterName, brokerAddr, registration.filterServerList);
  }
  const broker = { cause: 'register', cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr } as const;
  const after = brokerState(live, tables.filterServerTable);
  if (beforeState === undefined) {
    tables.events.record({ type: 'broker.registered', ...broker, after });
  } else if (groupChanged || !sameBrokerState(beforeState, after)) {
    tables.events.record({ type: 'broker.updated', ...broker, before: beforeState, after });
  }
  putTopics(tables, registration, members, versionChanged || registerFirst);
  return masterOf(tables, registration, members);
}

/** The key of the first topic config that names no topic. */
function namelessTopic(topicConfigs: ReadonlyMap<string, TopicConfig> | null): string | undefined {
  if (topicConfigs === null) return undefined;
  for (const [key, config] of topicConfigs) if (!config.topicName) return key.slice(0, 127);
  return undefined;
}

/** 5.x: whether the id is held by another live address whose stateVersion is higher (reference: nameserver 3.4 step 5). */
function isStale(tables: RouteTables, registration: BrokerRegistration, holderAddr: string | undefined): boolean {
  if (!holderAddr || holderAddr === registration.brokerAddr) return false;
  const holder = tables.brokerLiveTable.get(registration.clusterName, holderAddr);
  return (
    holder !== undefined && holder.dataVersion.stateVersion > registration.topicConfigWrapper.dataVersion.stateVersion
  );
}

/** As in Apache the loser also leaves the place it had, for instance as the slave it no longer wants to be. */
function refuseStale(tables: RouteTables, registration: BrokerRegistration, holderAddr: string | undefined): void {
  recordConflict(tables, registration, 'stale_version', registration.clusterName, holderAddr);
  const own = tables.brokerLiveTable.get(registration.clusterName, registration.brokerAddr);
  if (own !== undefined) removeBroker(tables, own, 'conflict');
}

function noteConflicts(
  tables: RouteTables,
  registration: BrokerRegistration,
  group: BrokerData | undefined,
  holderAddr: string | undefined,
): void {
  if (group === undefined) return;
  const { clusterName, brokerAddr, brokerName, brokerId } = registration;
  const names = tables.clusterAddrTable.brokerNamesOf(clusterName);
  if (group.cluster !== clusterName && !names?.has(brokerName)) {
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
  const holder = addr === undefined ? undefined : tables.brokerLiveTable.get(cluster, addr);
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

/** The group with this broker in it. Its cluster is that of its first member; the 5.x flags are those of the last that registered. */
function groupWith(tables: RouteTables, registration: BrokerRegistration, group: BrokerData | undefined): BrokerData {
  const { brokerId, brokerAddr, zoneName } = registration;
  const { fiveX } = tables.profile;
  return {
    cluster: group?.cluster ?? ownString(registration.clusterName),
    brokerName: group?.brokerName ?? ownString(registration.brokerName),
    brokerAddrs: withMember(group?.brokerAddrs ?? new Map(), brokerId, ownString(brokerAddr)),
    zoneName: fiveX && zoneName !== undefined ? ownString(zoneName) : undefined,
    enableActingMaster: fiveX && registration.enableActingMaster === true,
  };
}

function putTopics(tables: RouteTables, registration: BrokerRegistration, group: BrokerData, changed: boolean): void {
  const { brokerId, enableActingMaster, topicConfigWrapper } = registration;
  const { fiveX } = tables.profile;
  const isPrimeSlave =
    fiveX && enableActingMaster !== undefined && brokerId !== MASTER_ID && smallestId(group) === brokerId;
  if (brokerId !== MASTER_ID && !isPrimeSlave) return;
  const readOnly = isPrimeSlave && enableActingMaster === true;
  for (const config of topicConfigWrapper.topicConfigTable?.values() ?? []) {
    const topic = config.topicName;
    if (!topic) continue;
    // 5.x also brings back what was deleted here meanwhile.
    if (!changed && !(fiveX && !tables.topicQueueTable.hasEntry(topic, group.brokerName))) continue;
    tables.putQueueData(topic, queueDataOf(config, group.brokerName, readOnly), group.cluster, 'register');
  }
  if (!fiveX || !changed) return;
  for (const [topic, info] of topicConfigWrapper.topicQueueMappingInfoMap) tables.putMapping(topic, info);
}

function smallestId(group: BrokerData): Long | undefined {
  for (const brokerId of group.brokerAddrs.keys()) return brokerId;
  return undefined;
}

function queueDataOf(config: TopicConfig, brokerName: string, readOnly: boolean): QueueData {
  return {
    brokerName,
    readQueueNums: config.readQueueNums,
    writeQueueNums: config.writeQueueNums,
    perm: readOnly ? config.perm & ~WRITE : config.perm,
    topicSysFlag: config.topicSysFlag,
  };
}

function masterOf(tables: RouteTables, registration: BrokerRegistration, group: BrokerData): RegisterBrokerResult {
  if (registration.brokerId === MASTER_ID) return { ok: true };
  const masterAddr = group.brokerAddrs.get(MASTER_ID);
  if (!masterAddr) return { ok: true };
  const { brokerLiveTable, profile } = tables;
  // 4.x knows live brokers by address alone.
  const master =
    brokerLiveTable.get(registration.clusterName, masterAddr) ??
    (profile.fiveX ? undefined : brokerLiveTable.at(masterAddr)[0]);
  return master === undefined ? { ok: true } : { ok: true, masterAddr, haServerAddr: master.haServerAddr };
}
