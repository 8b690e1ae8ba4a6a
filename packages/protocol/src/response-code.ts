/** Response codes, under upstream's names (upstream: `ResponseCode`; reference: nameserver 1.6, storage-node 4 and 6). */
export const ResponseCode = {
  SUCCESS: 0,
  /** An exception, a failed check, a request that cannot be served; the remark says which. */
  SYSTEM_ERROR: 1,
  /** The queue of waiting requests is full; worth trying elsewhere or later. */
  SYSTEM_BUSY: 2,
  REQUEST_CODE_NOT_SUPPORTED: 3,
  TRANSACTION_FAILED: 4,
  FLUSH_DISK_TIMEOUT: 10,
  SLAVE_NOT_AVAILABLE: 11,
  FLUSH_SLAVE_TIMEOUT: 12,
  MESSAGE_ILLEGAL: 13,
  SERVICE_NOT_AVAILABLE: 14,
  VERSION_NOT_SUPPORTED: 15,
  NO_PERMISSION: 16,
  /** From a name server: the topic has no route. */
  TOPIC_NOT_EXIST: 17,
  PULL_NOT_FOUND: 19,
  PULL_RETRY_IMMEDIATELY: 20,
  PULL_OFFSET_MOVED: 21,
  /** From a name server: no such KV namespace or key. */
  QUERY_NOT_FOUND: 22,
  SUBSCRIPTION_NOT_LATEST: 25,
  NO_BUYER_ID: 204,
  NOT_IN_CURRENT_UNIT: 205,
  /** 5.3: the server is shutting down; connect anew. */
  GO_AWAY: 1500,
} as const;

export type ResponseCode = (typeof ResponseCode)[keyof typeof ResponseCode];

const names: ReadonlyMap<number, string> = new Map(Object.entries(ResponseCode).map(([name, code]) => [code, name]));

/** Upstream's name of a code; `undefined` for one that is not in {@link ResponseCode}. */
export function responseCodeName(code: number): string | undefined {
  return names.get(code);
}
