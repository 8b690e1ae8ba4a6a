import type { Long } from '@rmqns/remoting/json';

/** A broker group: a name and the addresses of its members by id; 0 is the master (upstream: `BrokerData`). */
export interface BrokerData {
  readonly cluster: string;
  readonly brokerName: string;
  readonly brokerAddrs: ReadonlyMap<Long, string>;
  /** 5.x only. */
  readonly zoneName?: string | undefined;
  /** 5.x only; false where a broker did not say. */
  readonly enableActingMaster: boolean;
}
