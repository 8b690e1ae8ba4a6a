import type { ChangeCause } from '../namesrv-event.js';
import type { BrokerLiveInfo } from './broker-live-table.js';
import { brokerState } from './broker-state.js';
import type { RouteTables } from './route-tables.js';

/** The reasons for which one broker leaves. */
export type RemovalCause = Extract<ChangeCause, 'unregister' | 'expired' | 'channel-closed' | 'conflict'>;

/**
 * Takes a broker out of every table, in Apache's order: live, filter, broker address, cluster, topics (reference: nameserver 3.9).
 *
 * What is removed is the address, from the group of the entry's name and no other. An entry whose address was replaced under its id is
 * just deleted; the address of another broker is never touched.
 */
export function removeBroker(tables: RouteTables, live: BrokerLiveInfo, cause: RemovalCause): void {
  const { clusterName, brokerAddr, brokerName, brokerId } = live;
  const before = brokerState(tables, live);
  if (!tables.removeLive(live)) return;
  const broker = { cause, cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr, before };
  if (cause === 'unregister' || cause === 'conflict') {
    tables.events.record({ type: 'broker.unregistered', known: true, ...broker });
  } else {
    tables.events.record({ type: `broker.${cause}`, ...broker });
  }
  // The same broker may be registered in another cluster, too: its group keeps it for that.
  if (!tables.brokerLiveTable.has(brokerAddr, brokerName)) tables.removeMember(brokerName, brokerAddr, cause);
}
