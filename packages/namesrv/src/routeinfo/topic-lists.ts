import { hasUnitFlag, hasUnitSubFlag, type QueueData } from '@rmqns/protocol';
import { firstInJavaOrder } from './java-hash-order.js';
import type { RouteTables } from './route-tables.js';

/** The names that code 304 answers: clusters and broker groups, and the address of some broker. */
export interface SystemTopicList {
  readonly topicList: readonly string[];
  readonly brokerAddr?: string | undefined;
}

/** The topics with queues on any group of the cluster, each once; none for an unknown cluster. */
export function topicsByCluster(tables: RouteTables, clusterName: string): string[] {
  const topics = new Set<string>();
  for (const brokerName of tables.clusterAddrTable.brokerNamesOf(clusterName) ?? []) {
    for (const topic of tables.topicQueueTable.topicsOf(brokerName)) topics.add(topic);
  }
  return [...topics];
}

/** Each cluster's name, then those of its broker groups, each name once (reference: nameserver 2.10). */
export function systemTopicList(tables: RouteTables): SystemTopicList {
  const names = new Set<string>();
  for (const [cluster, brokerNames] of tables.clusterAddrTable.entries()) {
    names.add(cluster);
    for (const brokerName of brokerNames) names.add(brokerName);
  }
  const topicList = [...names];
  const brokerAddr = tables.brokerAddrTable.firstAddr(tables.profile.brokerTableCapacity);
  return brokerAddr === undefined ? { topicList } : { topicList, brokerAddr };
}

/** Topics of units. As in Apache the queue entry that its map shows first decides (reference: nameserver 2.10). */
export function unitTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => hasUnitFlag(topicSysFlag));
}

/** Topics that units subscribe to. */
export function hasUnitSubTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => hasUnitSubFlag(topicSysFlag));
}

/** Topics that units subscribe to and that are of no unit. */
export function hasUnitSubUnUnitTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => !hasUnitFlag(topicSysFlag) && hasUnitSubFlag(topicSysFlag));
}

function topicsWhere(tables: RouteTables, accept: (first: QueueData) => boolean): string[] {
  const topics: string[] = [];
  for (const topic of tables.topicQueueTable.topics()) {
    const first = firstQueue(tables, topic);
    if (first !== undefined && accept(first)) topics.push(topic);
  }
  return topics;
}

function firstQueue({ topicQueueTable, profile }: RouteTables, topic: string): QueueData | undefined {
  const oldest = topicQueueTable.first(topic);
  if (profile.changedQueueMovesToEnd || topicQueueTable.sameFlag(topic)) return oldest;
  const queues = topicQueueTable.queuesOf(topic);
  return firstInJavaOrder(queues, ({ brokerName }) => brokerName, { size: queues.length, capacity: 16 });
}
