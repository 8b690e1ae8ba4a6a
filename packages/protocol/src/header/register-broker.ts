import { defineCommand, t } from '@rmqns/remoting/command';
import { optionalKvTableBody } from '../body/kv-table.js';
import { RequestCode } from '../request-code.js';

/**
 * A broker makes itself and its topics known (103; reference: nameserver 2.5). The request's body is a `RegisterBrokerBody`, the
 * answer's the KV namespace `ORDER_TOPIC_CONFIG` as a `KvTable`, or none where that namespace does not exist.
 *
 * Without one of the four required fields there is nothing to register under (reference: nameserver 8.3).
 */
export const RegisterBroker = defineCommand({
  code: RequestCode.REGISTER_BROKER,
  name: 'REGISTER_BROKER',
  request: {
    brokerName: t.string(),
    /** `host:port` that clients dial. */
    brokerAddr: t.string(),
    clusterName: t.string(),
    /** 0: the master. */
    brokerId: t.long(),
    /** `host:port` for replication; only ever handed on to slaves, so a broker without one is as good as any. */
    haServerAddr: t.string().optional(),
    /** Whether the body is deflated. */
    compressed: t.boolean().default(false),
    /** bodyCrc32 of the body as sent; 0, missing or unreadable: not checked. */
    bodyCrc32: t.int().default(0),
    /** 5.x: how long the broker may be silent; missing: 120 000. */
    heartbeatTimeoutMillis: t.long().optional(),
    /** 5.x; missing marks a 4.x broker. */
    enableActingMaster: t.boolean().optional(),
    /** 5.x: the broker's zone; a raw ext field upstream. */
    __ZONE_NAME: t.string().optional(),
    /** 5.x: sent along with the zone, not read. */
    __ZONE_MODE: t.boolean().optional(),
  },
  response: {
    /** Only to a slave whose master is known and alive, like `masterAddr`. */
    haServerAddr: t.string().optional(),
    masterAddr: t.string().optional(),
  },
  responseBody: optionalKvTableBody,
});
