import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/** Reads one KV entry (101; reference: nameserver 2.2). A missing field counts as not found; the remark prints it as `null`. No bodies. */
export const GetKvConfig = defineCommand({
  code: RequestCode.GET_KV_CONFIG,
  name: 'GET_KV_CONFIG',
  request: {
    namespace: t.string().optional(),
    key: t.string().optional(),
  },
  response: {
    value: t.string().optional(),
  },
});
