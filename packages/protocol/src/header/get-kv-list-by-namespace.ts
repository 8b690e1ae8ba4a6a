import { defineCommand, t } from '@rmqns/remoting/command';
import { kvTableBody } from '../body/kv-table.js';
import { RequestCode } from '../request-code.js';

/** Reads all entries of a KV namespace (219; reference: nameserver 2.4). The answer's body is a `KvTable`. */
export const GetKvListByNamespace = defineCommand({
  code: RequestCode.GET_KVLIST_BY_NAMESPACE,
  name: 'GET_KVLIST_BY_NAMESPACE',
  request: {
    /** Missing counts as not found; the remark prints it as `null`. */
    namespace: t.string().optional(),
  },
  responseBody: kvTableBody,
});
