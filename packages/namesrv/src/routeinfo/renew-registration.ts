import type { KeptBody } from './kept-body.js';
import {
  type BrokerRegistration,
  heartbeatTimeoutOf,
  masterOf,
  type RegisterBrokerResult,
  type RegistrationRules,
} from './register-broker.js';
import type { RouteTables } from './route-tables.js';

/** A registration whose body is the one that is kept, and so is not read. */
export type UnchangedRegistration = Omit<
  BrokerRegistration,
  'topicConfigWrapper' | 'filterServerList' | 'bodyKey' | 'isUnchanged' | 'slices'
>;

/**
 * `registerBroker` for a registration that says the same as the last one in its header as well, over the same connection, as nearly all do:
 * it has but to be noted that the broker was heard. `undefined` where anything differs, and nothing was done then.
 */
export function renewRegistration(
  tables: RouteTables,
  registration: UnchangedRegistration,
  kept: KeptBody,
  nowMillis: number,
  rules: RegistrationRules,
): RegisterBrokerResult | undefined {
  const { fiveX } = tables.profile;
  const { clusterName, brokerAddr, brokerName, brokerId, connection } = registration;
  const live = tables.brokerLiveTable.get(clusterName, brokerAddr, brokerName);
  const { group } = kept;
  if (
    live?.keptBody !== kept ||
    live.clusterName !== clusterName ||
    live.brokerId !== brokerId ||
    live.haServerAddr !== registration.haServerAddr ||
    live.heartbeatTimeoutMillis !== heartbeatTimeoutOf(tables, registration, rules) ||
    live.connection !== connection ||
    live.otherConnections.length > 0 ||
    group.zoneName !== (fiveX ? registration.zoneName : undefined) ||
    group.enableActingMaster !== (fiveX && registration.enableActingMaster === true) ||
    !tables.clusterAddrTable.lists(clusterName, brokerName)
  ) {
    return undefined;
  }
  tables.renewLive(live, nowMillis);
  // Another broker of the same address may have replaced them.
  if (kept.filterServerList !== null) tables.putFilterServers(clusterName, brokerAddr, kept.filterServerList);
  return masterOf(tables, registration, group);
}
