import { defineCommand, t } from '@rmqns/remoting/command';
import { RequestCode } from '../request-code.js';

/**
 * Stores one KV entry (100; reference: nameserver 2.1). No bodies.
 *
 * All fields are optional on the wire: a missing namespace or key is answered in words (`namespace or key is null`), a missing value
 * counts as null.
 */
export const PutKvConfig = defineCommand({
  code: RequestCode.PUT_KV_CONFIG,
  name: 'PUT_KV_CONFIG',
  request: {
    namespace: t.string().optional(),
    key: t.string().optional(),
    value: t.string().optional(),
  },
});
