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

/** One queue of a topic (upstream: `MessageQueue`). */
export interface MessageQueueName {
  readonly topic: string;
  readonly brokerName: string;
  readonly queueId: number;
}

/** What this node reads of a heartbeat: who it is, and the groups it consumes in (34; upstream: `HeartbeatData`). */
export const heartbeatBody = json((body) => ({
  clientID: text(body, 'clientID'),
  consumerDataSet: list(body, 'consumerDataSet').map((group) => ({ groupName: text(group, 'groupName') })),
}));

/** The ids of a group's members (38; upstream: `GetConsumerListByGroupResponseBody`). */
export const consumerListBody = json((body) => ({
  consumerIdList: (toArray(jsonField(body, 'consumerIdList'), 'consumerIdList') ?? []).map(String),
}));

/** Queues that a client of a group wants to lock, or gives back (41, 42; upstream: `LockBatchRequestBody`). */
export const lockRequestBody = json((body) => ({
  consumerGroup: text(body, 'consumerGroup'),
  clientId: text(body, 'clientId'),
  mqSet: list(body, 'mqSet').map(queueName),
}));

/** The queues that were granted (41; upstream: `LockBatchResponseBody`). */
export const lockedBody = json((body) => ({ lockOKMQSet: list(body, 'lockOKMQSet').map(queueName) }));

/** A body of JSON as upstream's fastjson reads and writes it. Decoding throws DecodeError for anything else than an object. */
function json<T extends object>(check: (body: JsonObject) => T): BodyCodec<T> {
  return {
    encode: (value) => encodeUtf8(writeFastJson(value, 'standard')),
    decode(bytes) {
      const value = bytes === undefined ? undefined : parseFastJson(new TextDecoder().decode(bytes));
      return check(object(value, 'the body'));
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

/** Made anew, since it may be kept: a part of the body's text would keep the whole text. */
function text(body: JsonObject, name: string): string {
  const value = toText(jsonField(body, name));
  if (value === undefined || value === null) throw new DecodeError(`the JSON property ${name} is missing`);
  return Buffer.from(value).toString();
}
