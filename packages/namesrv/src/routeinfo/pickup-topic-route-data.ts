import type { BrokerData, TopicRouteData } from '@rmqns/protocol';
import type { RouteTables } from './route-tables.js';

/**
 * What a client learns of a topic (reference: nameserver 3.10), without the order configuration. `undefined` for an unknown topic, and
 * for one that no known group has.
 */
export function pickupTopicRouteData(tables: RouteTables, topic: string): TopicRouteData | undefined {
  const queueDatas = tables.topicQueueTable.queuesOf(topic);
  const brokerDatas: BrokerData[] = [];
  const filterServerTable = new Map<string, readonly string[]>();
  for (const { brokerName } of queueDatas) {
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
    queueDatas,
    brokerDatas,
    filterServerTable,
    ...(topicQueueMappingByBroker && { topicQueueMappingByBroker }),
  };
}
