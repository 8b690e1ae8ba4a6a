import { DecodeError } from '@rmqns/remoting/command';
import { type JsonValue, parseInt32, quoteForPeople } from '@rmqns/remoting/json';
import { BeanReader, beanShape, SCALAR, TEXT, TEXT_MAP } from '../body/bean-reader.js';
import type { TopicQueueMappingInfo } from './topic-queue-mapping-info.js';

const GLOBAL_SCOPE = '__global__';

/** A mapping as a bean. */
export function topicQueueMappingInfoToJson(info: TopicQueueMappingInfo) {
  const { bname, currIdMap, dirty, epoch, scope, topic, totalQueues } = info;
  return { bname, currIdMap, dirty, epoch, scope, topic, totalQueues };
}

/** What {@link topicQueueMappingInfoFromJson} reads. */
export const TOPIC_QUEUE_MAPPING_INFO_SHAPE = beanShape({
  topic: TEXT,
  scope: TEXT,
  totalQueues: SCALAR,
  bname: TEXT,
  epoch: SCALAR,
  dirty: SCALAR,
  currIdMap: TEXT_MAP,
});

/**
 * A mapping out of JSON; null for JSON that stands for null. `topic` stands in for a missing topic.
 *
 * @throws DecodeError when it names no broker or no topic, or a queue id is no number: such a mapping cannot be stored
 */
export function topicQueueMappingInfoFromJson(json: JsonValue, topic: string | null): TopicQueueMappingInfo | null {
  const bean = BeanReader.of(json, 'a queue mapping');
  if (bean === null) return null;
  const name = bean.text('topic') ?? topic;
  if (name === null) throw new DecodeError('a queue mapping has no topic');
  const bname = bean.text('bname');
  if (bname === null) throw new DecodeError(`the queue mapping of topic ${quoteForPeople(name)} has no bname`);
  const currIdMap = new Map<number, number>();
  for (const [key, value] of bean.textMap('currIdMap') ?? []) {
    const logical = parseInt32(key);
    const physical = parseInt32(value);
    if (logical === undefined || physical === undefined) {
      throw new DecodeError(`the queue mapping of topic ${quoteForPeople(name)} has a queue id that is no number`);
    }
    currIdMap.set(logical, physical);
  }
  return {
    topic: name,
    scope: bean.text('scope') ?? GLOBAL_SCOPE,
    totalQueues: bean.int('totalQueues', 0),
    bname,
    epoch: bean.long('epoch', 0),
    dirty: bean.boolean('dirty', false),
    currIdMap,
  };
}
