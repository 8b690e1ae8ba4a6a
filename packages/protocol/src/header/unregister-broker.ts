import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** A broker leaves (104; reference: nameserver 2.6). No bodies. */
export const UnregisterBroker = defineCommand({
  code: RequestCode.UNREGISTER_BROKER,
  name: 'UNREGISTER_BROKER',
  request: {
    brokerName: t.string(),
    brokerAddr: t.string(),
    clusterName: t.string(),
    brokerId: t.long(),
  },
});
