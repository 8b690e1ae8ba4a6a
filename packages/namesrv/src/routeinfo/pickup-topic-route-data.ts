import type { BrokerData, TopicRouteData } from '@rmqns/protocol';
import { inJavaOrder } from './java-hash-order.js';
import type { RouteTables } from './route-tables.js';

/**
 * What a client learns of a topic (reference: nameserver 3.10), without the order configuration. `undefined` for an unknown topic, and
 * for one that no known group has.
 *
 * Groups come in the order of Java's map of their names, and so do queues since 4.9.4: what tools work out of a route depends on it, as
 * the shares that `mqadmin allocateMQ` prints.
 */
export function pickupTopicRouteData(tables: RouteTables, topic: string): TopicRouteData | undefined {
  const arrived = tables.topicQueueTable.queuesOf(topic);
  const ordered = inJavaOrder(arrived, ({ brokerName }) => brokerName);
  const brokerDatas: BrokerData[] = [];
  const filterServerTable = new Map<string, readonly string[]>();
  for (const { brokerName } of ordered) {
    const group = tables.brokerAddrTable.get(brokerName);
    if (group === undefined) continue;
    brokerDatas.push(group);
    for (const addr of group.brokerAddrs.values()) {
      const filterServers = tables.filterServerTable.get(group.cluster, addr);
      if (filterServers.length > 0) filterServerTable.set(addr, filterServers);
    }
  }
  if (brokerDatas.length === 0) return undefined;
  const topicQueueMappingByBroker = tables.topicQueueMappingInfoTable.byBroker(topic);
  return {
    queueDatas: tables.profile.changedQueueMovesToEnd ? arrived : ordered,
    brokerDatas,
    filterServerTable,
    ...(topicQueueMappingByBroker && { topicQueueMappingByBroker }),
  };
}
