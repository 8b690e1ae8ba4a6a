import { sameDataVersion } from '@rmqns/protocol';
import type { BrokerState } from '../namesrv-event.js';
import type { BrokerLiveInfo } from './broker-live-table.js';
import type { FilterServerTable } from './filter-server-table.js';

/** What events say about a broker. */
export function brokerState(live: BrokerLiveInfo, filterServerTable: FilterServerTable): BrokerState {
  return {
    brokerId: live.brokerId,
    dataVersion: live.dataVersion,
    haServerAddr: live.haServerAddr,
    heartbeatTimeoutMillis: live.heartbeatTimeoutMillis,
    filterServers: filterServerTable.get(live.clusterName, live.brokerAddr),
  };
}

/** Whether both say the same; the filter list is replaced only by a different one. */
export function sameBrokerState(a: BrokerState, b: BrokerState): boolean {
  return (
    a.brokerId === b.brokerId &&
    sameDataVersion(a.dataVersion, b.dataVersion) &&
    a.haServerAddr === b.haServerAddr &&
    a.heartbeatTimeoutMillis === b.heartbeatTimeoutMillis &&
    a.filterServers === b.filterServers
  );
}
