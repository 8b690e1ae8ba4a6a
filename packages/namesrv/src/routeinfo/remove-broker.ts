import type { ChangeCause } from '../namesrv-event.js';
import { withoutMember } from './broker-addr-table.js';
import type { BrokerLiveInfo } from './broker-live-table.js';
import { brokerState } from './broker-state.js';
import type { RouteTables } from './route-tables.js';

const WRITE = 2;

/** The reasons for which one broker leaves. */
export type RemovalCause = Extract<ChangeCause, 'unregister' | 'expired' | 'channel-closed' | 'conflict'>;

/**
 * Takes a broker out of every table, in Apache's order: live, filter, broker address, cluster, topics (reference: nameserver 3.9).
 *
 * What is removed is the address, wherever it is a member. An entry whose address was replaced under its id is just deleted; the
 * address of another broker is never touched.
 */
export function removeBroker(tables: RouteTables, live: BrokerLiveInfo, cause: RemovalCause): void {
  const { clusterName, brokerAddr } = live;
  const before = brokerState(live, tables.filterServerTable);
  if (!tables.brokerLiveTable.delete(live)) return;
  const broker = {
    cause,
    cluster: clusterName,
    broker: live.brokerName,
    brokerId: live.brokerId,
    addr: brokerAddr,
    before,
  };
  if (cause === 'unregister' || cause === 'conflict') {
    tables.events.record({ type: 'broker.unregistered', known: true, ...broker });
  } else {
    tables.events.record({ type: `broker.${cause}`, ...broker });
  }
  tables.putFilterServers(clusterName, brokerAddr, []);
  // The same address may be registered in another cluster, too: its groups keep it for that.
  if (tables.brokerLiveTable.has(brokerAddr)) return;
  for (const brokerName of tables.brokerAddrTable.namesOf(brokerAddr)) {
    removeMember(tables, brokerName, brokerAddr, cause);
  }
}

function removeMember(tables: RouteTables, brokerName: string, brokerAddr: string, cause: ChangeCause): void {
  const group = tables.brokerAddrTable.get(brokerName);
  if (group === undefined) return;
  const brokerAddrs = withoutMember(group.brokerAddrs, brokerAddr);
  if (brokerAddrs.size === 0) {
    removeGroup(tables, brokerName, cause);
    return;
  }
  tables.putGroup({ ...group, brokerAddrs });
  // 5.x: a group that lost its master and may have an acting one takes no new messages (reference: nameserver 3.7).
  if (tables.profile.fiveX && group.enableActingMaster && !brokerAddrs.has(0)) {
    for (const topic of tables.topicQueueTable.topicsOf(brokerName)) {
      const queues = tables.topicQueueTable.get(topic, brokerName);
      if (queues !== undefined) tables.changePerm(topic, brokerName, queues.perm & ~WRITE, group.cluster, cause);
    }
  }
}

function removeGroup(tables: RouteTables, brokerName: string, cause: ChangeCause): void {
  const group = tables.brokerAddrTable.get(brokerName);
  if (group === undefined) return;
  const { topicQueueTable, brokerAddrTable, clusterAddrTable, events } = tables;
  const topics = topicQueueTable.topicsOf(brokerName);
  brokerAddrTable.delete(brokerName);
  events.record({ type: 'broker-name.removed', cause, cluster: group.cluster, broker: brokerName });
  for (const cluster of clusterAddrTable.clustersOf(brokerName)) {
    if (clusterAddrTable.remove(cluster, brokerName)) events.record({ type: 'cluster.removed', cause, cluster });
  }
  for (const topic of topics) tables.removeQueueData(topic, brokerName, group.cluster, cause);
}
