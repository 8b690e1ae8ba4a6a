/**
 * Request codes, under upstream's names (upstream: `RequestCode`): all that a name server answers or sends, and those of brokers and
 * clients that its tools and a small storage node meet.
 */
export const RequestCode = {
  // Name server (reference: nameserver 2).
  PUT_KV_CONFIG: 100,
  GET_KV_CONFIG: 101,
  DELETE_KV_CONFIG: 102,
  REGISTER_BROKER: 103,
  UNREGISTER_BROKER: 104,
  GET_ROUTEINFO_BY_TOPIC: 105,
  GET_BROKER_CLUSTER_INFO: 106,
  WIPE_WRITE_PERM_OF_BROKER: 205,
  GET_ALL_TOPIC_LIST_FROM_NAMESERVER: 206,
  DELETE_TOPIC_IN_NAMESRV: 216,
  REGISTER_TOPIC_IN_NAMESRV: 217,
  GET_KVLIST_BY_NAMESPACE: 219,
  GET_TOPICS_BY_CLUSTER: 224,
  GET_SYSTEM_TOPIC_LIST_FROM_NS: 304,
  GET_UNIT_TOPIC_LIST: 311,
  GET_HAS_UNIT_SUB_TOPIC_LIST: 312,
  GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST: 313,
  UPDATE_NAMESRV_CONFIG: 318,
  GET_NAMESRV_CONFIG: 319,
  QUERY_DATA_VERSION: 322,
  ADD_WRITE_PERM_OF_BROKER: 327,
  GET_BROKER_MEMBER_GROUP: 901,
  BROKER_HEARTBEAT: 904,
  /** Sent by a 5.x name server to brokers, oneway. */
  NOTIFY_MIN_BROKER_ID_CHANGE: 905,

  // Brokers and clients (reference: storage-node 1, nameserver 7.3).
  SEND_MESSAGE: 10,
  PULL_MESSAGE: 11,
  QUERY_MESSAGE: 12,
  QUERY_CONSUMER_OFFSET: 14,
  UPDATE_CONSUMER_OFFSET: 15,
  GET_ALL_TOPIC_CONFIG: 21,
  GET_BROKER_CONFIG: 26,
  GET_BROKER_RUNTIME_INFO: 28,
  SEARCH_OFFSET_BY_TIMESTAMP: 29,
  GET_MAX_OFFSET: 30,
  GET_MIN_OFFSET: 31,
  VIEW_MESSAGE_BY_ID: 33,
  HEART_BEAT: 34,
  UNREGISTER_CLIENT: 35,
  CONSUMER_SEND_MSG_BACK: 36,
  END_TRANSACTION: 37,
  GET_CONSUMER_LIST_BY_GROUP: 38,
  /** Sent by a broker to clients, oneway. */
  NOTIFY_CONSUMER_IDS_CHANGED: 40,
  LOCK_BATCH_MQ: 41,
  UNLOCK_BATCH_MQ: 42,
  CHECK_CLIENT_CONFIG: 46,
  GET_SYSTEM_TOPIC_LIST_FROM_BROKER: 305,
  SEND_MESSAGE_V2: 310,
  SEND_BATCH_MESSAGE: 320,
  SEND_REPLY_MESSAGE: 324,
  SEND_REPLY_MESSAGE_V2: 325,
  LITE_PULL_MESSAGE: 361,
  QUERY_ASSIGNMENT: 400,
  /** Does not fit the 16 bits of a ROCKETMQ header. */
  POP_MESSAGE: 200050,
} as const;

export type RequestCode = (typeof RequestCode)[keyof typeof RequestCode];

const names: ReadonlyMap<number, string> = new Map(Object.entries(RequestCode).map(([name, code]) => [code, name]));

/** Upstream's name of a code; `undefined` for one that is not in {@link RequestCode}. */
export function requestCodeName(code: number): string | undefined {
  return names.get(code);
}
