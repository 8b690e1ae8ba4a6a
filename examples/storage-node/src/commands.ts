import { RequestCode } from '@rmqns/protocol';
import { defineCommand, type HeaderSchema, t } from '@rmqns/remoting/command';
import { consumerListBody, heartbeatBody, lockedBody, lockRequestBody } from './client-bodies.js';

/**
 * The requests that clients and tools send to a node (reference: storage-node 1). A definition names the fields that this node reads;
 * any others, of newer clients or of no use here (`defaultTopic`, `unitMode`, `bname`, ...), are left alone.
 */

const stored = {
  /** Ids of the messages of a batch are joined by commas. */
  msgId: t.string(),
  /** Java clients fail on an answer without it or `queueOffset`. */
  queueId: t.int(),
  queueOffset: t.long(),
};

/** 10: Go's single sends, and Java's with `sendSmartMsg=false`. */
export const SendMessage = defineCommand({
  code: RequestCode.SEND_MESSAGE,
  name: 'SEND_MESSAGE',
  request: {
    topic: t.string(),
    /** Negative: any queue. */
    queueId: t.int(),
    sysFlag: t.int(),
    bornTimestamp: t.long(),
    flag: t.int(),
    properties: t.string().default(''),
    reconsumeTimes: t.int().default(0),
    batch: t.boolean().default(false),
  },
  response: stored,
});

/** The fields of SEND_MESSAGE in its order, named by single letters. */
const sendV2 = {
  b: t.string(),
  e: t.int(),
  f: t.int(),
  g: t.long(),
  h: t.int(),
  i: t.string().default(''),
  j: t.int().default(0),
  m: t.boolean().default(false),
};

/** 310: Java's sends. */
export const SendMessageV2 = defineCommand({
  code: RequestCode.SEND_MESSAGE_V2,
  name: 'SEND_MESSAGE_V2',
  request: sendV2,
  response: stored,
});

/** 320 */
export const SendBatchMessage = defineCommand({
  code: RequestCode.SEND_BATCH_MESSAGE,
  name: 'SEND_BATCH_MESSAGE',
  request: sendV2,
  response: stored,
});

const pull = {
  consumerGroup: t.string(),
  topic: t.string(),
  queueId: t.int(),
  /** The first wanted. */
  queueOffset: t.long(),
  maxMsgNums: t.int(),
  /** Bits of PullSysFlag. */
  sysFlag: t.int(),
  commitOffset: t.long(),
  suspendTimeoutMillis: t.long(),
  /** `*` or empty: all; else tags joined by `||`. */
  subscription: t.string().default('*'),
  expressionType: t.string().default('TAG'),
  /** 5.x: a cap on the answer's body. */
  maxMsgBytes: t.int().optional(),
};

const pulled = {
  /** Clients consume nothing without it; any but 0 means a slave. */
  suggestWhichBrokerId: t.long(),
  nextBeginOffset: t.long(),
  minOffset: t.long(),
  maxOffset: t.long(),
};

/** 11 */
export const PullMessage = defineCommand({
  code: RequestCode.PULL_MESSAGE,
  name: 'PULL_MESSAGE',
  request: pull,
  response: pulled,
});

/** 361: the same from the lite pull consumer of 5.x. */
export const LitePullMessage = defineCommand({
  code: RequestCode.LITE_PULL_MESSAGE,
  name: 'LITE_PULL_MESSAGE',
  request: pull,
  response: pulled,
});

const group = { consumerGroup: t.string() };
const offset = { offset: t.long() };

/** 14 */
export const QueryConsumerOffset = queueCommand('QUERY_CONSUMER_OFFSET', group, offset);

/** 15: oneway from Java. */
export const UpdateConsumerOffset = queueCommand('UPDATE_CONSUMER_OFFSET', { ...group, commitOffset: t.long() }, {});

/** 30 */
export const GetMaxOffset = queueCommand('GET_MAX_OFFSET', {}, offset);

/** 31 */
export const GetMinOffset = queueCommand('GET_MIN_OFFSET', {}, offset);

/** 29 */
export const SearchOffsetByTimestamp = queueCommand('SEARCH_OFFSET_BY_TIMESTAMP', { timestamp: t.long() }, offset);

/** 34 */
export const HeartBeat = defineCommand({
  code: RequestCode.HEART_BEAT,
  name: 'HEART_BEAT',
  requestBody: heartbeatBody,
});

/** 35 */
export const UnregisterClient = defineCommand({
  code: RequestCode.UNREGISTER_CLIENT,
  name: 'UNREGISTER_CLIENT',
  request: { clientID: t.string(), consumerGroup: t.string().optional() },
});

/** 38 */
export const GetConsumerListByGroup = defineCommand({
  code: RequestCode.GET_CONSUMER_LIST_BY_GROUP,
  name: 'GET_CONSUMER_LIST_BY_GROUP',
  request: group,
  responseBody: consumerListBody,
});

/** 40: from the node to its clients, oneway. */
export const NotifyConsumerIdsChanged = defineCommand({
  code: RequestCode.NOTIFY_CONSUMER_IDS_CHANGED,
  name: 'NOTIFY_CONSUMER_IDS_CHANGED',
  request: group,
});

/** 41 */
export const LockBatchMq = defineCommand({
  code: RequestCode.LOCK_BATCH_MQ,
  name: 'LOCK_BATCH_MQ',
  requestBody: lockRequestBody,
  responseBody: lockedBody,
});

/** 42 */
export const UnlockBatchMq = defineCommand({
  code: RequestCode.UNLOCK_BATCH_MQ,
  name: 'UNLOCK_BATCH_MQ',
  requestBody: lockRequestBody,
});

/** 28: the answer's body is a `KvTable`. */
export const GetBrokerRuntimeInfo = defineCommand({
  code: RequestCode.GET_BROKER_RUNTIME_INFO,
  name: 'GET_BROKER_RUNTIME_INFO',
});

/** A request about one queue. */
function queueCommand<More extends HeaderSchema, Response extends HeaderSchema>(
  name: keyof typeof RequestCode,
  more: More,
  response: Response,
) {
  const request = { topic: t.string(), queueId: t.int(), ...more };
  return defineCommand({ code: RequestCode[name], name, request, response });
}
