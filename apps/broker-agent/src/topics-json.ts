import { type DataVersion, decodeTopicConfigSerializeWrapper } from '@rmqns/protocol';
import { DecodeError } from '@rmqns/remoting';
import { jsonField, parseFastJson, toObject } from '@rmqns/remoting/json';
import type { TopicConfigTable } from './topic-config-table.js';

/** A topic table as a source has it. */
export interface SourceTopics {
  readonly table: TopicConfigTable;
  /** The source's own version of it, where it keeps one. */
  readonly dataVersion?: DataVersion | undefined;
  /** True: there has been no file, and the table is empty for want of one. */
  readonly absent?: boolean | undefined;
}

/**
 * Reads a broker's `topics.json` (reference: broker registration 6.1). Beyond what makes it readable it must hold a table and a version:
 * a file that lacks them is torn or another file, and no proof that there are no topics.
 *
 * @throws DecodeError when it is no such file, or not whole
 */
export function decodeTopicsJson(bytes: Uint8Array): SourceTopics {
  const object = toObject(parseFastJson(decodeUtf8(bytes)), 'topics.json');
  for (const name of ['topicConfigTable', 'dataVersion']) {
    if (object == null || toObject(jsonField(object, name), name) == null) throw new DecodeError(`it holds no ${name}`);
  }
  const { topicConfigTable, dataVersion } = decodeTopicConfigSerializeWrapper(bytes, 0);
  const table = topicConfigTable ?? new Map();
  for (const [topic, { topicName }] of table) {
    if (topicName !== topic) throw new DecodeError(`topic ${topic} is named ${topicName} inside`);
  }
  return { table, dataVersion };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DecodeError('it is not UTF-8 text', { cause });
  }
}
