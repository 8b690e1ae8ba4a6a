import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Takes the write permission from all topics of a broker (205; reference: nameserver 2.9). No bodies. */
export const WipeWritePermOfBroker = defineCommand({
  code: RequestCode.WIPE_WRITE_PERM_OF_BROKER,
  name: 'WIPE_WRITE_PERM_OF_BROKER',
  request: {
    /** Unknown or missing: the count is 0. */
    brokerName: t.string().optional(),
  },
  response: {
    /** Topics of that broker, changed or not. */
    wipeTopicCount: t.int(),
  },
});
