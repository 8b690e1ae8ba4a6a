import type { Long } from '@rmqns/remoting/json';

/** Who a broker is to its name servers: the header fields of its requests (reference: broker-registration 2.5). */
export interface BrokerIdentity {
  readonly clusterName: string;
  readonly brokerName: string;
  /** 0: the master. */
  readonly brokerId: Long;
  /** `host:port` that clients dial. */
  readonly brokerAddr: string;
  /** `host:port` for replication; name servers hand it on to slaves. */
  readonly haServerAddr?: string | undefined;
  /**
   * How long the broker may be silent before a 5.x name server drops it; default the name server's 120,000, and 10,000 where
   * `enableActingMaster` is true.
   */
  readonly heartbeatTimeoutMillis?: Long | undefined;
  /**
   * Where the broker is, `__ZONE_NAME` of its requests: 5.x name servers leave brokers of other zones out of the routes of clients that ask
   * for theirs. Default none.
   */
  readonly zoneName?: string | undefined;
  /** Whether a slave may stand in for a lost master. Sent at all, it marks a 5.x broker; absent by default. */
  readonly enableActingMaster?: boolean | undefined;
}
