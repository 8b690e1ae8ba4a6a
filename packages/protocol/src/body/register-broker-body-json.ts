import { DecodeError } from '@rmqns/remoting/command';
import { type JsonValue, parseFastJson, quoteForPeople, writeFastJson } from '@rmqns/remoting/json';
import type { DataVersion } from '../data-version.js';
import type { TopicQueueMappingInfo } from '../route/topic-queue-mapping-info.js';
import { topicQueueMappingInfoFromJson, topicQueueMappingInfoToJson } from '../route/topic-queue-mapping-info-json.js';
import { BeanReader, notNull } from './bean-reader.js';
import { dataVersionFromJson, dataVersionToJson } from './data-version-json.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
import type { TopicConfig } from './topic-config.js';
import { topicConfigFromJson, topicConfigToJson } from './topic-config-json.js';
import type { TopicConfigSerializeWrapper } from './topic-config-serialize-wrapper.js';

/** A registration as JSON text, as a 4.x or a 5.x broker writes it (reference: nameserver 2.5.1). */
export function registerBrokerBodyToJson(body: RegisterBrokerBody, fiveX: boolean): string {
  const { topicConfigSerializeWrapper, filterServerList } = body;
  const bean = { filterServerList, topicConfigSerializeWrapper: wrapperToJson(topicConfigSerializeWrapper, fiveX) };
  return writeFastJson(bean, 'legacy');
}

/** Reads a registration; see `decodeRegisterBrokerBody`. */
export function registerBrokerBodyFromJson(text: string, nowMillis: number): RegisterBrokerBody {
  const bean = notNull(BeanReader.of(parseFastJson(text), 'the registration'), 'the registration');
  const wrapper = bean.value('topicConfigSerializeWrapper');
  const filterServerList = bean.value('filterServerList') === undefined ? [] : bean.textList('filterServerList');
  return {
    topicConfigSerializeWrapper: wrapperFromJson(wrapper === undefined ? {} : wrapper, nowMillis),
    filterServerList: filterServerList ?? null,
  };
}

/** Reads a bare topic table, as brokers before 3.0.11 register it; see `decodeRegisterBrokerBody`. */
export function wrapperFromText(text: string, nowMillis: number): TopicConfigSerializeWrapper {
  return wrapperFromJson(parseFastJson(text), nowMillis);
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

const ZERO_VERSION: DataVersion = { timestamp: 0, counter: 0, stateVersion: 0 };

function wrapperFromJson(json: JsonValue, nowMillis: number): TopicConfigSerializeWrapper {
  const bean = notNull(BeanReader.of(json, 'topicConfigSerializeWrapper'), 'topicConfigSerializeWrapper');
  const dataVersion = dataVersionFromJson(bean.value('dataVersion') ?? null, nowMillis);
  return {
    dataVersion: dataVersion ?? { timestamp: nowMillis, counter: 0, stateVersion: 0 },
    topicConfigTable: topicConfigTableFromJson(bean),
    topicQueueMappingInfoMap: mappingsFromJson(bean),
  };
}

function topicConfigTableFromJson(bean: BeanReader): Map<string, TopicConfig> | null {
  if (bean.value('topicConfigTable') === undefined) return new Map();
  const entries = bean.entries('topicConfigTable');
  if (entries === undefined) return null;
  const table = new Map<string, TopicConfig>();
  for (const [topic, json] of entries) table.set(topic, topicConfigOf(topic, json));
  return table;
}

function topicConfigOf(topic: string, json: JsonValue): TopicConfig {
  try {
    return notNull(topicConfigFromJson(json), 'the topic config');
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(`topic ${quoteForPeople(topic)} of topicConfigTable: ${error.message}`, { cause: error });
  }
}

function mappingsFromJson(bean: BeanReader): Map<string, TopicQueueMappingInfo> {
  const mappings = new Map<string, TopicQueueMappingInfo>();
  for (const [topic, json] of bean.entries('topicQueueMappingInfoMap') ?? []) {
    const info = topicQueueMappingInfoFromJson(json, topic);
    if (info === null) throw new DecodeError(`topicQueueMappingInfoMap holds null for topic ${quoteForPeople(topic)}`);
    mappings.set(topic, info);
  }
  return mappings;
}

function mapValues<V, W>(map: ReadonlyMap<string, V>, change: (value: V) => W): Map<string, W> {
  const changed = new Map<string, W>();
  for (const [key, value] of map) changed.set(key, change(value));
  return changed;
}
