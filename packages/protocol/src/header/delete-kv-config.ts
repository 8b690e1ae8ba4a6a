import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Removes one KV entry (102; reference: nameserver 2.3). Succeeds also for what is not there, a missing field included. No bodies. */
export const DeleteKvConfig = defineCommand({
  code: RequestCode.DELETE_KV_CONFIG,
  name: 'DELETE_KV_CONFIG',
  request: {
    namespace: t.string().optional(),
    key: t.string().optional(),
  },
});
