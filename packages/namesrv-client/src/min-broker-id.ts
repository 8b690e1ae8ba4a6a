import type { Long } from '@rmqns/remoting/json';

/** The member of a broker group with the smallest id: its master, or who acts as one. */
export interface MinBroker {
  readonly minBrokerId: Long;
  readonly minBrokerAddr: string;
}

/** The smallest id of a group; `undefined` for a group without members. */
export function minBrokerOf(brokerAddrs: ReadonlyMap<Long, string>): MinBroker | undefined {
  let min: MinBroker | undefined;
  for (const [minBrokerId, minBrokerAddr] of brokerAddrs)
    if (min === undefined || minBrokerId < min.minBrokerId) min = { minBrokerId, minBrokerAddr };
  return min;
}
