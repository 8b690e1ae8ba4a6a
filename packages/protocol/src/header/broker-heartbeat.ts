import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** A broker is alive (904, 5.x, sent oneway; reference: nameserver 2.15). Never creates an entry. No bodies. */
export const BrokerHeartbeat = defineCommand({
  code: RequestCode.BROKER_HEARTBEAT,
  name: 'BROKER_HEARTBEAT',
  request: {
    clusterName: t.string(),
    brokerAddr: t.string(),
    /** Sent by every broker, but not read. */
    brokerName: t.string().optional(),
    // The rest is for controllers.
    brokerId: t.long().optional(),
    epoch: t.int().optional(),
    maxOffset: t.long().optional(),
    confirmOffset: t.long().optional(),
    heartbeatTimeoutMills: t.long().optional(),
    electionPriority: t.int().optional(),
  },
});
