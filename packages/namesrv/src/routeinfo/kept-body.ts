import {
  type DataVersion,
  MASTER_ID,
  type RegisterBrokerBodyDigest,
  sameRegisterBrokerBody,
  type TopicSlices,
} from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { ReadableBrokerGroup } from './broker-addr-table.js';
import type { RouteTables } from './route-tables.js';

/** What a registration's body is known by: two that are the same say the same. */
export interface BodyKey {
  readonly digest: RegisterBrokerBodyDigest;
  /** What the header says of how to read it. */
  readonly compressed: boolean;
  readonly requestVersion: number;
}

/** Who registers, as what; part of a BrokerRegistration. */
export interface RegisteringBroker {
  readonly clusterName: string;
  readonly brokerAddr: string;
  readonly brokerName: string;
  readonly brokerId: Long;
  readonly enableActingMaster?: boolean | undefined;
}

/** What a broker's last registration said, its topics aside: they are in the tables. */
export interface KeptBody {
  readonly key: BodyKey;
  readonly dataVersion: DataVersion;
  readonly filterServerList: readonly string[] | null;
  /** What the next body is to be compared with; absent where that takes the whole. */
  readonly slices: TopicSlices | undefined;
  /** Whether the tables hold each of its topics as it said: an unchanged version leaves alone what an operator changed. */
  readonly isInStep: boolean;
  /** Where its topics went, as what, and how often topics there had changed by then. */
  readonly group: ReadableBrokerGroup;
  readonly role: TopicsRole;
  readonly topicChanges: number;
}

/** What of a broker's topics is put into the tables: nothing of a slave's, and of a slave that may act as the master what it lets be read. */
export type TopicsRole = 'all' | 'read-only' | 'none';

/** The role of a broker that is a member of its group (reference: nameserver 3.4). */
export function topicsRole(
  { profile }: RouteTables,
  { brokerId, enableActingMaster }: RegisteringBroker,
  group: ReadableBrokerGroup,
): TopicsRole {
  if (brokerId === MASTER_ID) return 'all';
  const isPrimeSlave = profile.fiveX && enableActingMaster !== undefined && group.minId === brokerId;
  if (!isPrimeSlave) return 'none';
  return enableActingMaster ? 'read-only' : 'all';
}

/**
 * What is kept of this broker's last body, if that is still where its topics are: the broker registers from the same place in its group,
 * and no topic there was changed since. In 5.x a broker that is heard brings back what was deleted meanwhile.
 */
export function keptBody(tables: RouteTables, broker: RegisteringBroker): KeptBody | undefined {
  const { clusterName, brokerAddr, brokerName, brokerId } = broker;
  const kept = tables.brokerLiveTable.get(clusterName, brokerAddr, brokerName)?.keptBody;
  const group = tables.brokerAddrTable.group(brokerName);
  if (kept === undefined || group !== kept.group || group.topicChanges !== kept.topicChanges) return undefined;
  const isInPlace = group.addrOf(brokerId) === brokerAddr && topicsRole(tables, broker, group) === kept.role;
  return isInPlace ? kept : undefined;
}

/** Whether a body says the same as one that is kept. */
export function sameBody(a: BodyKey, b: BodyKey): boolean {
  return (
    a.compressed === b.compressed && a.requestVersion === b.requestVersion && sameRegisterBrokerBody(a.digest, b.digest)
  );
}
