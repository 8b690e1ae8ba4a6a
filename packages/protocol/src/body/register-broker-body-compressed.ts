import { DecodeError } from '@rmqns/remoting/command';
import { type JsonValue, parseFastJson, toArray, writeFastJson } from '@rmqns/remoting/json';
import type { TopicQueueMappingInfo } from '../route/topic-queue-mapping-info.js';
import { topicQueueMappingInfoFromJson, topicQueueMappingInfoToJson } from '../route/topic-queue-mapping-info-json.js';
import type { Steps } from '../steps.js';
import { CompressedBodyReader } from './compressed-body-reader.js';
import { CompressedBodyWriter } from './compressed-body-writer.js';
import { dataVersionFromJson, dataVersionToJson } from './data-version-json.js';
import { filterServersFromJson, MAX_FILTER_SERVER_LIST_BYTES } from './filter-server-list.js';
import { MAX_TOPICS } from './max-topics.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
import { TopicAttributesReader } from './topic-attributes-reader.js';
import type { TopicConfig } from './topic-config.js';
import { decodeTopicConfigText, encodeTopicConfigText } from './topic-config-text.js';

/*
 * One zlib stream around (reference: nameserver 2.5.2), all numbers int32, big-endian:
 *
 *   length, data version as JSON
 *   count, then for each topic: length, text
 *   length, filter servers as a JSON list
 *   5.x: count, then for each queue mapping: length, JSON
 */

/** A data version takes some 60 bytes. */
const MAX_DATA_VERSION_BYTES = 1024;
/** Beyond these a topic takes a byte of what was sent; the shortest names that differ in a number take more than two. */
const FREE_TOPICS = 16_384;
/** Of all queue mappings together: some 50,000 static topics. */
const MAX_MAPPINGS_BYTES = 8 * 1024 * 1024;
/** Of one of them: some 30,000 queues. */
const MAX_MAPPING_BYTES = 512 * 1024;

/** Writes a compressed registration, with the mappings of static topics when `fiveX`. */
export function deflateRegisterBrokerBody(body: RegisterBrokerBody, fiveX: boolean): Uint8Array {
  const { dataVersion, topicConfigTable, topicQueueMappingInfoMap } = body.topicConfigSerializeWrapper;
  const writer = new CompressedBodyWriter();
  writer.text(writeFastJson(dataVersionToJson(dataVersion, fiveX), 'legacy'));
  writer.count(topicConfigTable?.size ?? 0);
  for (const config of topicConfigTable?.values() ?? []) writer.text(encodeTopicConfigText(config, { fiveX }));
  writer.text(writeFastJson(body.filterServerList, 'legacy'));
  if (fiveX) {
    writer.count(topicQueueMappingInfoMap.size);
    for (const info of topicQueueMappingInfoMap.values()) {
      writer.text(writeFastJson(topicQueueMappingInfoToJson(info), 'legacy'));
    }
  }
  return writer.deflate();
}

/** What the reader of an inflated body needs to know. */
export interface InflatedBodyOptions {
  readonly nowMillis: number;
  /** Whether a data version has a state version. */
  readonly fiveX: boolean;
  /** Whether the mappings of static topics follow and are to be read. */
  readonly withMappings: boolean;
  /** A body that announces more topics is refused; see {@link maxTopicsOf}. */
  readonly maxTopics: number;
}

/** Topics that are read in one step, which takes a fraction of a millisecond. */
const STEP_TOPICS = 50;

/** How many topics a compressed body of this length may hold. */
export function maxTopicsOf(deflatedBytes: number): number {
  return Math.min(MAX_TOPICS, FREE_TOPICS + deflatedBytes);
}

/** Reads what a compressed registration inflates to; see `decodeRegisterBrokerBody`. */
export function* readInflatedBody(bytes: Buffer, options: InflatedBodyOptions): Steps<RegisterBrokerBody> {
  const { nowMillis, fiveX, withMappings, maxTopics } = options;
  const reader = new CompressedBodyReader(bytes);
  const dataVersion = dataVersionFromJson(
    parseFastJson(reader.text('the data version', MAX_DATA_VERSION_BYTES)),
    nowMillis,
    fiveX,
  );
  const topicConfigTable = yield* readTopics(reader, maxTopics);
  const filterServerList = readFilterServers(reader);
  return {
    topicConfigSerializeWrapper: {
      dataVersion: dataVersion ?? { timestamp: nowMillis, counter: 0, stateVersion: 0 },
      topicConfigTable,
      topicQueueMappingInfoMap: withMappings ? yield* readMappings(reader) : new Map(),
    },
    filterServerList,
  };
}

function* readTopics(reader: CompressedBodyReader, maxTopics: number): Steps<Map<string, TopicConfig>> {
  const table = new Map<string, TopicConfig>();
  const attributes = new TopicAttributesReader();
  for (let left = reader.count('topics', maxTopics); left > 0; left--) {
    const config = decodeTopicConfigText(reader.text('a topic'), attributes);
    table.set(config.topicName, config);
    if (left % STEP_TOPICS === 0) yield;
  }
  return table;
}

function readFilterServers(reader: CompressedBodyReader): string[] | null {
  const list = parseList(reader.text('the list of filter servers', MAX_FILTER_SERVER_LIST_BYTES));
  return list === null ? null : filterServersFromJson(list);
}

/** What is no JSON list is an empty one, as upstream has it: no broker is refused for a list that says nothing. */
function parseList(text: string): readonly JsonValue[] | null {
  try {
    return toArray(parseFastJson(text), 'filterServerList') ?? null;
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

function* readMappings(reader: CompressedBodyReader): Steps<Map<string, TopicQueueMappingInfo>> {
  const mappings = new Map<string, TopicQueueMappingInfo>();
  let maxBytes = MAX_MAPPINGS_BYTES;
  for (let left = reader.count('queue mappings'); left > 0; left--) {
    const text = reader.text('a queue mapping', Math.min(maxBytes, MAX_MAPPING_BYTES));
    maxBytes -= text.length;
    const info = topicQueueMappingInfoFromJson(parseFastJson(text), null);
    if (info === null) throw new DecodeError('a queue mapping of the compressed body is null');
    mappings.set(info.topic, info);
    yield;
  }
  return mappings;
}
