import { DecodeError } from '@rmqns/remoting/command';
import { parseFastJson, toArray, toText, writeFastJson } from '@rmqns/remoting/json';
import type { TopicQueueMappingInfo } from '../route/topic-queue-mapping-info.js';
import { topicQueueMappingInfoFromJson, topicQueueMappingInfoToJson } from '../route/topic-queue-mapping-info-json.js';
import { CompressedBodyReader, inflateBody } from './compressed-body-reader.js';
import { CompressedBodyWriter } from './compressed-body-writer.js';
import { dataVersionFromJson, dataVersionToJson } from './data-version-json.js';
import type { RegisterBrokerBody } from './register-broker-body.js';
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

/** What a compressed body's reader needs to know. */
interface InflateOptions {
  readonly nowMillis: number;
  readonly maxInflatedBytes: number;
  /** Whether the sender is of 5.x, so that the mappings of static topics follow. */
  readonly withMappings: boolean;
}

/** Reads a compressed registration; see `decodeRegisterBrokerBody`. */
export function inflateRegisterBrokerBody(bytes: Uint8Array, options: InflateOptions): RegisterBrokerBody {
  const { nowMillis, maxInflatedBytes, withMappings } = options;
  const reader = new CompressedBodyReader(inflateBody(bytes, maxInflatedBytes));
  const dataVersion = dataVersionFromJson(parseFastJson(reader.text('the data version')), nowMillis);
  const topicConfigTable = readTopics(reader);
  const filterServerList = readFilterServers(reader);
  return {
    topicConfigSerializeWrapper: {
      dataVersion: dataVersion ?? { timestamp: nowMillis, counter: 0, stateVersion: 0 },
      topicConfigTable,
      topicQueueMappingInfoMap: withMappings ? readMappings(reader) : new Map(),
    },
    filterServerList,
  };
}

function readTopics(reader: CompressedBodyReader): Map<string, TopicConfig> {
  const table = new Map<string, TopicConfig>();
  for (let left = reader.count('topics'); left > 0; left--) {
    const config = decodeTopicConfigText(reader.text('a topic'));
    table.set(config.topicName, config);
  }
  return table;
}

/** A list that is no JSON leaves none, as upstream has it: no broker is refused for its filter servers. */
function readFilterServers(reader: CompressedBodyReader): string[] | null {
  const text = reader.text('the filter servers');
  try {
    const list = toArray(parseFastJson(text), 'filterServerList');
    return list == null ? null : list.map((item) => toText(item)).filter((server) => server !== null);
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

function readMappings(reader: CompressedBodyReader): Map<string, TopicQueueMappingInfo> {
  const mappings = new Map<string, TopicQueueMappingInfo>();
  for (let left = reader.count('queue mappings'); left > 0; left--) {
    const info = topicQueueMappingInfoFromJson(parseFastJson(reader.text('a queue mapping')), null);
    if (info === null) throw new DecodeError('a queue mapping of the compressed body is null');
    mappings.set(info.topic, info);
  }
  return mappings;
}
