import type { BrokerState } from '../namesrv-event.js';
import type { BrokerLiveInfo } from './broker-live-table.js';
import type { RouteTables } from './route-tables.js';
import { sameVersion } from './same-version.js';

/** What events say about a broker. */
export function brokerState(tables: RouteTables, live: BrokerLiveInfo): BrokerState {
  const group = tables.brokerAddrTable.group(live.brokerName);
  return {
    brokerId: live.brokerId,
    dataVersion: live.dataVersion,
    haServerAddr: live.haServerAddr,
    heartbeatTimeoutMillis: live.heartbeatTimeoutMillis,
    filterServers: tables.filterServerTable.get(live.clusterName, live.brokerAddr),
    zoneName: group?.zoneName,
    enableActingMaster: group?.enableActingMaster ?? false,
  };
}

/** Whether both say the same; the filter list is replaced only by a different one. */
export function sameBrokerState({ profile }: RouteTables, a: BrokerState, b: BrokerState): boolean {
  return (
    a.brokerId === b.brokerId &&
    sameVersion(profile, a.dataVersion, b.dataVersion) &&
    a.haServerAddr === b.haServerAddr &&
    a.heartbeatTimeoutMillis === b.heartbeatTimeoutMillis &&
    a.filterServers === b.filterServers &&
    a.zoneName === b.zoneName &&
    a.enableActingMaster === b.enableActingMaster
  );
}
