import {
  type DataVersion,
  MASTER_ID,
  type RegisterBrokerBody,
  type RegisterBrokerBodyDigest,
  sameRegisterBrokerBody,
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
  /** Where its topics went, and as what; also that no topic of it has gone since. */
  readonly group: ReadableBrokerGroup;
  readonly role: TopicsRole;
  readonly topicsLost: number;
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
 * The body of a registration that would change nothing in topicQueueTable, as it reads without its topics; `undefined` where the bytes
 * have to be read (design decision 3). It is the same that this broker sent last, from the same place in its group, and all of its
 * topics are there still: in 5.x a broker that is heard brings back what was deleted meanwhile.
 */
export function unchangedBody(
  tables: RouteTables,
  broker: RegisteringBroker,
  key: BodyKey,
): RegisterBrokerBody | undefined {
  const { clusterName, brokerAddr, brokerName, brokerId } = broker;
  const kept = tables.brokerLiveTable.get(clusterName, brokerAddr, brokerName)?.keptBody;
  if (kept === undefined || !sameKey(kept.key, key)) return undefined;
  const group = tables.brokerAddrTable.group(brokerName);
  if (group !== kept.group || group.topicsLost !== kept.topicsLost) return undefined;
  if (group.addrOf(brokerId) !== brokerAddr || topicsRole(tables, broker, group) !== kept.role) return undefined;
  return {
    topicConfigSerializeWrapper: {
      dataVersion: kept.dataVersion,
      topicConfigTable: null,
      topicQueueMappingInfoMap: new Map(),
    },
    filterServerList: kept.filterServerList,
  };
}

function sameKey(a: BodyKey, b: BodyKey): boolean {
  return (
    a.compressed === b.compressed && a.requestVersion === b.requestVersion && sameRegisterBrokerBody(a.digest, b.digest)
  );
}
