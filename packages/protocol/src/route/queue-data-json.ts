import { DecodeError } from '@rmqns/remoting/command';
import type { JsonValue } from '@rmqns/remoting/json';
import { BeanReader } from '../body/bean-reader.js';
import type { QueueData } from './queue-data.js';
import type { RouteDialect } from './route-dialect.js';

/** A broker's queues as a bean. */
export function queueDataToJson(queue: QueueData, queueFlagName: RouteDialect['queueFlagName']) {
  const { brokerName, perm, readQueueNums, writeQueueNums } = queue;
  return { brokerName, perm, readQueueNums, [queueFlagName]: queue.topicSysFlag, writeQueueNums };
}

/**
 * A broker's queues out of JSON, with the flag under either name; null for JSON that stands for null. Missing numbers are 0.
 *
 * @throws DecodeError when it names no broker
 */
export function queueDataFromJson(json: JsonValue): QueueData | null {
  const bean = BeanReader.of(json, 'queue data');
  if (bean === null) return null;
  const brokerName = bean.text('brokerName');
  if (brokerName === null) throw new DecodeError('queue data has no brokerName');
  return {
    brokerName,
    readQueueNums: bean.int('readQueueNums', 0),
    writeQueueNums: bean.int('writeQueueNums', 0),
    perm: bean.int('perm', 0),
    topicSysFlag: bean.int('topicSysFlag', bean.int('topicSynFlag', 0)),
  };
}
