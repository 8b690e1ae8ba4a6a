import { DecodeError } from '@rmqns/remoting/command';
import type { JsonShape, JsonValue } from '@rmqns/remoting/json';
import { BeanReader, beanShape, SCALAR, TEXT, TEXT_MAP } from './bean-reader.js';
import type { TopicConfig, TopicFilterType } from './topic-config.js';

const FILTER_TYPES: readonly TopicFilterType[] = ['SINGLE_TAG', 'MULTI_TAG'];

/** A topic as a bean; 4.x releases know no attributes. */
export function topicConfigToJson(config: TopicConfig, fiveX: boolean) {
  const { order, perm, readQueueNums, topicFilterType, topicName, topicSysFlag, writeQueueNums } = config;
  const bean = { order, perm, readQueueNums, topicFilterType, topicName, topicSysFlag, writeQueueNums };
  return fiveX ? { attributes: config.attributes ?? new Map<string, string>(), ...bean } : bean;
}

const PROPERTIES = {
  topicName: TEXT,
  readQueueNums: SCALAR,
  writeQueueNums: SCALAR,
  perm: SCALAR,
  topicFilterType: SCALAR,
  topicSysFlag: SCALAR,
  order: SCALAR,
};
const FOUR_X_SHAPE = beanShape(PROPERTIES);
const FIVE_X_SHAPE = beanShape({ ...PROPERTIES, attributes: TEXT_MAP });

/** What {@link topicConfigFromJson} reads. */
export function topicConfigShape(fiveX: boolean): JsonShape {
  return fiveX ? FIVE_X_SHAPE : FOUR_X_SHAPE;
}

/**
 * A topic out of JSON; null for JSON that stands for null. What is missing or null has the defaults of TopicConfig; attributes are 5.x's.
 *
 * @throws DecodeError when a value does not fit its property
 */
export function topicConfigFromJson(json: JsonValue, fiveX: boolean): TopicConfig | null {
  const bean = BeanReader.of(json, 'topicConfig');
  if (bean === null) return null;
  const attributes = fiveX ? bean.textMap('attributes') : undefined;
  return {
    topicName: bean.text('topicName'),
    readQueueNums: bean.int('readQueueNums', 16),
    writeQueueNums: bean.int('writeQueueNums', 16),
    perm: bean.int('perm', 6),
    topicFilterType: filterTypeFromJson(bean.value('topicFilterType')),
    topicSysFlag: bean.int('topicSysFlag', 0),
    order: bean.boolean('order', false),
    ...(attributes === undefined ? {} : { attributes }),
  };
}

/** By name or by place; a name nobody knows is null, a place that is none an error (reference: nameserver 2.5.1). */
function filterTypeFromJson(json: JsonValue | undefined): TopicFilterType | null {
  if (json === undefined) return 'SINGLE_TAG';
  if (json === null) return null;
  if (typeof json === 'string') return FILTER_TYPES.find((name) => name === json) ?? null;
  const byPlace = typeof json === 'number' ? FILTER_TYPES[json] : undefined;
  if (byPlace === undefined) throw new DecodeError('topicFilterType is neither a name nor 0 or 1');
  return byPlace;
}
