import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/**
 * The smallest id of a broker group changed (905, 5.x; oneway, from the name server to the group's members; reference: nameserver 2.17).
 * Ids and addresses are those after the change. No bodies.
 */
export const NotifyMinBrokerIdChange = defineCommand({
  code: RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE,
  name: 'NOTIFY_MIN_BROKER_ID_CHANGE',
  request: {
    minBrokerId: t.long().optional(),
    minBrokerAddr: t.string().optional(),
    /** The address that left; only when one did. */
    offlineBrokerAddr: t.string().optional(),
    /** The replication address of the broker that came; only when one did. */
    haBrokerAddr: t.string().optional(),
    /** Never set by a name server. */
    brokerName: t.string().optional(),
  },
});
