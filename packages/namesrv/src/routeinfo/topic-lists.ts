import type { QueueData } from '@rmqns/protocol';
import type { RouteTables } from './route-tables.js';

const UNIT = 1;
const UNIT_SUB = 2;

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

/** Each cluster's name, then those of its broker groups (reference: nameserver 2.10). */
export function systemTopicList(tables: RouteTables): SystemTopicList {
  const topicList: string[] = [];
  for (const [cluster, brokerNames] of tables.clusterAddrTable.entries()) topicList.push(cluster, ...brokerNames);
  for (const [, group] of tables.brokerAddrTable.entries()) {
    for (const brokerAddr of group.brokerAddrs.values()) return { topicList, brokerAddr };
  }
  return { topicList };
}

/** Topics of units. As in Apache the first queue entry decides (reference: nameserver 2.10). */
export function unitTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => (topicSysFlag & UNIT) !== 0);
}

/** Topics that units subscribe to. */
export function hasUnitSubTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => (topicSysFlag & UNIT_SUB) !== 0);
}

/** Topics that units subscribe to and that are of no unit. */
export function hasUnitSubUnUnitTopics(tables: RouteTables): string[] {
  return topicsWhere(tables, ({ topicSysFlag }) => (topicSysFlag & UNIT) === 0 && (topicSysFlag & UNIT_SUB) !== 0);
}

function topicsWhere(tables: RouteTables, accept: (first: QueueData) => boolean): string[] {
  const topics: string[] = [];
  for (const topic of tables.topicQueueTable.topics()) {
    const first = tables.topicQueueTable.first(topic);
    if (first !== undefined && accept(first)) topics.push(topic);
  }
  return topics;
}
