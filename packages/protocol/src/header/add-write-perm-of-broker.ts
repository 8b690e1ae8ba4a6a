import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Gives all topics of a broker the permission 6, read and write (327, from 4.9.2; reference: nameserver 2.9). No bodies. */
export const AddWritePermOfBroker = defineCommand({
  code: RequestCode.ADD_WRITE_PERM_OF_BROKER,
  name: 'ADD_WRITE_PERM_OF_BROKER',
  request: {
    /** Unknown or missing: the count is 0. */
    brokerName: t.string().optional(),
  },
  response: {
    /** Topics of that broker, changed or not. */
    addTopicCount: t.int(),
  },
});
