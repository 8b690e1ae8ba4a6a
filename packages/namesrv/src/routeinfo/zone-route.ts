import { type BrokerData, MASTER_ID, type TopicRouteData } from '@rmqns/protocol';

/**
 * A route as somebody in a zone sees it: the groups of the zone, names compared without case, and those that have no master, wherever they
 * are (upstream: `ZoneRouteRPCHook`; reference: nameserver 3.12). It may be empty.
 */
export function inZone(route: TopicRouteData, zoneName: string): TopicRouteData {
  const brokerDatas = route.brokerDatas.filter((group) => isShown(group, zoneName));
  if (brokerDatas.length === route.brokerDatas.length) return route;
  const shown = new Set(brokerDatas.map(({ brokerName }) => brokerName));
  const hidden = route.brokerDatas.filter(({ brokerName }) => !shown.has(brokerName));
  const filterServerTable = new Map(route.filterServerTable);
  for (const { brokerAddrs } of hidden) for (const addr of brokerAddrs.values()) filterServerTable.delete(addr);
  return {
    ...route,
    brokerDatas,
    // Queues of groups that are not known at all stay, as they do without zones.
    queueDatas: route.queueDatas.filter(({ brokerName }) => !hidden.some((group) => group.brokerName === brokerName)),
    filterServerTable,
  };
}

function isShown({ zoneName, brokerAddrs }: BrokerData, zone: string): boolean {
  return !brokerAddrs.has(MASTER_ID) || zoneName?.toLowerCase() === zone.toLowerCase();
}
