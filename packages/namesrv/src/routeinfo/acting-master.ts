import { type BrokerData, MASTER_ID, PermName, type TopicRouteData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';

/** Brokers find each other through topics of this name; they must be shown with their real ids. */
export const MEMBER_TOPIC_PREFIX = 'rmq_sys_SYNC_BROKER_MEMBER_';

/**
 * A route in which groups without a master, that may have an acting one and take no messages, show their smallest id as the master
 * (5.x with `supportActingMaster`; reference: nameserver 3.10). The tables are left as they are.
 */
export function withActingMasters(topic: string, route: TopicRouteData): TopicRouteData {
  if (topic.startsWith(MEMBER_TOPIC_PREFIX)) return route;
  if (!route.brokerDatas.some((group) => needsActingMaster(group, route))) return route;
  return {
    ...route,
    brokerDatas: route.brokerDatas.map((group) =>
      needsActingMaster(group, route) ? { ...group, brokerAddrs: promoted(group.brokerAddrs) } : group,
    ),
  };
}

function needsActingMaster(
  { brokerName, brokerAddrs, enableActingMaster }: BrokerData,
  route: TopicRouteData,
): boolean {
  if (!enableActingMaster || brokerAddrs.size === 0 || brokerAddrs.has(MASTER_ID)) return false;
  const queues = route.queueDatas.find((queueData) => queueData.brokerName === brokerName);
  return queues !== undefined && (queues.perm & PermName.WRITE) === 0;
}

/** Ids ascend in what the tables hand out, and still do. */
function promoted(brokerAddrs: ReadonlyMap<Long, string>): ReadonlyMap<Long, string> {
  const [smallest, ...others] = brokerAddrs;
  if (smallest === undefined) return brokerAddrs;
  const below = others.findIndex(([id]) => id > MASTER_ID);
  others.splice(below < 0 ? others.length : below, 0, [MASTER_ID, smallest[1]]);
  return new Map(others);
}
