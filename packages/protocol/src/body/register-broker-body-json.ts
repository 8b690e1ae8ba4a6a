import { DecodeError } from '@rmqns/remoting/command';
import { type JsonShape, type JsonValue, quoteForPeople, writeFastJson } from '@rmqns/remoting/json';
import type { DataVersion } from '../data-version.js';
import type { TopicQueueMappingInfo } from '../route/topic-queue-mapping-info.js';
import {
  TOPIC_QUEUE_MAPPING_INFO_SHAPE,
  topicQueueMappingInfoFromJson,
  topicQueueMappingInfoToJson,
} from '../route/topic-queue-mapping-info-json.js';
import type { Steps } from '../steps.js';
import { BeanReader, beanShape, notNull, SCALAR } from './bean-reader.js';
import { DATA_VERSION_SHAPE, dataVersionFromJson, dataVersionToJson } from './data-version-json.js';
import { filterServersFromJson } from './filter-server-list.js';
import { MAX_TOPICS } from './max-topics.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
import type { TopicConfig } from './topic-config.js';
import { topicConfigFromJson, topicConfigShape, topicConfigToJson } from './topic-config-json.js';
import type { TopicConfigSerializeWrapper } from './topic-config-serialize-wrapper.js';

/** A registration as JSON text, as a 4.x or a 5.x broker writes it (reference: nameserver 2.5.1). */
export function registerBrokerBodyToJson(body: RegisterBrokerBody, fiveX: boolean): string {
  const { topicConfigSerializeWrapper, filterServerList } = body;
  const bean = { filterServerList, topicConfigSerializeWrapper: wrapperToJson(topicConfigSerializeWrapper, fiveX) };
  return writeFastJson(bean, 'legacy');
}

/** How a topic table is to be read. */
export interface WrapperFromJsonOptions {
  /** Stands in for a data version without timestamp. */
  readonly nowMillis: number;
  /** Whether to read what 4.x does not know: attributes of topics. */
  readonly fiveX: boolean;
  /** Whether to read the mappings of static topics. */
  readonly withMappings: boolean;
}

/** What {@link registerBrokerBodyFromJson} reads. */
export function registerBrokerBodyShape(options: WrapperFromJsonOptions): JsonShape {
  return beanShape({ topicConfigSerializeWrapper: wrapperShape(options), filterServerList: { items: SCALAR } });
}

/** Reads a registration; see `decodeRegisterBrokerBody`. */
export function* registerBrokerBodyFromJson(
  json: JsonValue,
  options: WrapperFromJsonOptions,
): Steps<RegisterBrokerBody> {
  const bean = notNull(BeanReader.of(json, 'the registration'), 'the registration');
  const wrapper = bean.value('topicConfigSerializeWrapper');
  return {
    topicConfigSerializeWrapper: yield* wrapperFromJson(wrapper === undefined ? {} : wrapper, options),
    filterServerList: filterServerListOf(bean),
  };
}

function filterServerListOf(bean: BeanReader): string[] | null {
  if (bean.value('filterServerList') === undefined) return [];
  const list = bean.list('filterServerList');
  return list === undefined ? null : filterServersFromJson(list);
}

function wrapperToJson(wrapper: TopicConfigSerializeWrapper, fiveX: boolean) {
  const bean = {
    dataVersion: dataVersionToJson(wrapper.dataVersion, fiveX),
    topicConfigTable: mapValues(wrapper.topicConfigTable ?? new Map(), (config) => topicConfigToJson(config, fiveX)),
  };
  if (!fiveX) return bean;
  return {
    ...bean,
    // Brokers stamp the time of sending here and nobody reads it; a constant keeps the checksum of an unchanged table.
    mappingDataVersion: dataVersionToJson(ZERO_VERSION, true),
    topicQueueMappingDetailMap: new Map<string, never>(),
    topicQueueMappingInfoMap: mapValues(wrapper.topicQueueMappingInfoMap, topicQueueMappingInfoToJson),
  };
}

/** How many topics or mappings are made of JSON in one step: some microseconds, and some milliseconds of the largest. */
const STEP_ENTRIES = 10;

const ZERO_VERSION: DataVersion = { timestamp: 0, counter: 0, stateVersion: 0 };

/** What {@link wrapperFromJson} reads. */
export function wrapperShape({ fiveX, withMappings }: WrapperFromJsonOptions): JsonShape {
  return beanShape({
    dataVersion: DATA_VERSION_SHAPE,
    topicConfigTable: { entries: topicConfigShape(fiveX), maxEntries: MAX_TOPICS },
    ...(withMappings
      ? { topicQueueMappingInfoMap: { entries: TOPIC_QUEUE_MAPPING_INFO_SHAPE, maxEntries: MAX_TOPICS } }
      : {}),
  });
}

/** Reads a topic table; see `decodeTopicConfigSerializeWrapper`. */
export function* wrapperFromJson(
  json: JsonValue,
  { nowMillis, fiveX, withMappings }: WrapperFromJsonOptions,
): Steps<TopicConfigSerializeWrapper> {
  const bean = notNull(BeanReader.of(json, 'topicConfigSerializeWrapper'), 'topicConfigSerializeWrapper');
  const dataVersion = dataVersionFromJson(bean.value('dataVersion') ?? null, nowMillis, fiveX);
  return {
    dataVersion: dataVersion ?? { timestamp: nowMillis, counter: 0, stateVersion: 0 },
    topicConfigTable: yield* topicConfigTableFromJson(bean, fiveX),
    topicQueueMappingInfoMap: withMappings ? yield* mappingsFromJson(bean) : new Map(),
  };
}

function* topicConfigTableFromJson(bean: BeanReader, fiveX: boolean): Steps<Map<string, TopicConfig> | null> {
  if (bean.value('topicConfigTable') === undefined) return new Map();
  const entries = bean.entries('topicConfigTable');
  if (entries === undefined) return null;
  if (entries.size > MAX_TOPICS) {
    throw new DecodeError(`topicConfigTable holds ${entries.size} topics; a broker may have ${MAX_TOPICS}`);
  }
  const table = new Map<string, TopicConfig>();
  for (const [topic, json] of entries) {
    table.set(topic, topicConfigOf(topic, json, fiveX));
    if (table.size % STEP_ENTRIES === 0) yield;
  }
  return table;
}

/** @throws DecodeError that names the topic */
export function topicConfigOf(topic: string, json: JsonValue, fiveX: boolean): TopicConfig {
  try {
    return notNull(topicConfigFromJson(json, fiveX), 'the topic config');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`topic ${quoteForPeople(topic)} of topicConfigTable: ${error.message}`, { cause: error });
  }
}

function* mappingsFromJson(bean: BeanReader): Steps<Map<string, TopicQueueMappingInfo>> {
  const mappings = new Map<string, TopicQueueMappingInfo>();
  for (const [topic, json] of bean.entries('topicQueueMappingInfoMap') ?? []) {
    const info = topicQueueMappingInfoFromJson(json, topic);
    if (info === null) throw new DecodeError(`topicQueueMappingInfoMap holds null for topic ${quoteForPeople(topic)}`);
    mappings.set(topic, info);
    if (mappings.size % STEP_ENTRIES === 0) yield;
  }
  return mappings;
}

function mapValues<V, W>(map: ReadonlyMap<string, V>, change: (value: V) => W): Map<string, W> {
  const changed = new Map<string, W>();
  for (const [key, value] of map) changed.set(key, change(value));
  return changed;
}
