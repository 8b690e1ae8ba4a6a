import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/**
 * Whether a broker's topic table differs from the stored one; from 5.x brokers also a heartbeat (322; reference: nameserver 2.13).
 * Both bodies are a `DataVersion`; the answer has none when the broker is unknown.
 */
export const QueryDataVersion = defineCommand({
  code: RequestCode.QUERY_DATA_VERSION,
  name: 'QUERY_DATA_VERSION',
  request: {
    brokerAddr: t.string(),
    /** Not needed to find a broker in 4.x, which knows brokers by address alone. */
    clusterName: t.string().optional(),
    /** Not read. */
    brokerName: t.string().optional(),
    /** Not read. */
    brokerId: t.long().optional(),
  },
  response: {
    /** True also for a broker that is not known. */
    changed: t.boolean(),
  },
});
