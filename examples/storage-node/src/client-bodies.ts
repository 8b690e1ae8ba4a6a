import { type BodyCodec, DecodeError } from '@rmqns/remoting/command';
import {
  encodeUtf8,
  type JsonObject,
  type JsonValue,
  jsonField,
  parseFastJson,
  toArray,
  toInt32,
  toObject,
  toText,
  writeFastJson,
} from '@rmqns/remoting/json';

/** What this node reads of a heartbeat (34; upstream: `HeartbeatData`): who it is, and the groups it consumes in. */
export interface Heartbeat {
  readonly clientID: string;
  readonly consumerGroups: readonly string[];
}

/** One queue of a topic (upstream: `MessageQueue`). */
export interface MessageQueueName {
  readonly topic: string;
  readonly brokerName: string;
  readonly queueId: number;
}

/** Queues that a client of a group wants to lock, or gives back (41, 42; upstream: `LockBatchRequestBody`). */
export interface LockRequest {
  readonly consumerGroup: string;
  readonly clientId: string;
  readonly mqSet: readonly MessageQueueName[];
}

/** A subscription that wants to be checked (46; upstream: `CheckClientRequestBody`). */
export interface CheckClient {
  readonly expressionType: string;
}

export const heartbeatBody: BodyCodec<Heartbeat> = json(
  (heartbeat) => ({
    clientID: heartbeat.clientID,
    consumerDataSet: heartbeat.consumerGroups.map((groupName) => ({ groupName })),
    producerDataSet: [],
  }),
  (body) => ({
    clientID: text(body, 'clientID'),
    consumerGroups: list(body, 'consumerDataSet').map((group) => text(group, 'groupName')),
  }),
);

/** The ids of a group's members (38; upstream: `GetConsumerListByGroupResponseBody`). */
export const consumerListBody: BodyCodec<readonly string[]> = json(
  (consumerIdList) => ({ consumerIdList }),
  (body) => (toArray(jsonField(body, 'consumerIdList'), 'consumerIdList') ?? []).map(String),
);

export const lockRequestBody: BodyCodec<LockRequest> = json(
  (request) => request,
  (body) => ({
    consumerGroup: text(body, 'consumerGroup'),
    clientId: text(body, 'clientId'),
    mqSet: list(body, 'mqSet').map(queueName),
  }),
);

/** The queues that were granted (41; upstream: `LockBatchResponseBody`). */
export const lockedBody: BodyCodec<readonly MessageQueueName[]> = json(
  (lockOKMQSet) => ({ lockOKMQSet }),
  (body) => list(body, 'lockOKMQSet').map(queueName),
);

export const checkClientBody: BodyCodec<CheckClient> = json(
  ({ expressionType }) => ({ subscriptionData: { expressionType } }),
  (body) => {
    const subscription = toObject(jsonField(body, 'subscriptionData'), 'subscriptionData') ?? {};
    return { expressionType: toText(jsonField(subscription, 'expressionType')) ?? 'TAG' };
  },
);

/** A body of JSON as upstream's fastjson reads and writes it. Decoding throws DecodeError for anything else than an object. */
function json<T>(toJson: (value: T) => object, fromJson: (body: JsonObject) => T): BodyCodec<T> {
  return {
    encode: (value) => encodeUtf8(writeFastJson(toJson(value), 'standard')),
    decode(bytes) {
      const value = bytes === undefined ? undefined : parseFastJson(new TextDecoder().decode(bytes));
      return fromJson(object(value, 'the body'));
    },
  };
}

function queueName(queue: JsonObject): MessageQueueName {
  const queueId = toInt32(jsonField(queue, 'queueId'), 'queueId') ?? 0;
  return { topic: text(queue, 'topic'), brokerName: text(queue, 'brokerName'), queueId };
}

function list(body: JsonObject, name: string): JsonObject[] {
  return (toArray(jsonField(body, name), name) ?? []).map((item) => object(item, `an item of ${name}`));
}

function object(value: JsonValue | undefined, what: string): JsonObject {
  const found = toObject(value, what);
  if (found === undefined || found === null) throw new DecodeError(`${what} is missing`);
  return found;
}

function text(body: JsonObject, name: string): string {
  const value = toText(jsonField(body, name));
  if (value === undefined || value === null) throw new DecodeError(`the JSON property ${name} is missing`);
  return value;
}
