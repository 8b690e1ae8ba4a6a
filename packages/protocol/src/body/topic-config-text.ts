import { DecodeError, RemotingError } from '@rmqns/remoting/command';
import { parseInt32, quoteForPeople, writeFastJson } from '@rmqns/remoting/json';
import { TopicAttributesReader } from './topic-attributes-reader.js';
import type { TopicConfig } from './topic-config.js';

/**
 * A topic as compressed bodies carry it: `topicName readQueueNums writeQueueNums perm topicFilterType`, and from 5.x on the attributes as
 * JSON. `order` and `topicSysFlag` are not carried (upstream: `TopicConfig.encode`; reference: nameserver 2.5.2).
 *
 * @throws RemotingError `ENCODE_FAILED` when the name is missing or holds a space, or the filter type is missing: no reader takes that
 */
export function encodeTopicConfigText(config: TopicConfig, { fiveX }: { readonly fiveX: boolean }): string {
  const { topicName, readQueueNums, writeQueueNums, perm, topicFilterType, attributes } = config;
  if (topicName === null || topicName.includes(' ')) {
    throw new RemotingError(
      'ENCODE_FAILED',
      `a topic named ${topicName === null ? 'null' : quoteForPeople(topicName)} cannot be registered compressed`,
    );
  }
  if (topicFilterType === null) {
    throw new RemotingError(
      'ENCODE_FAILED',
      `topic ${quoteForPeople(topicName)} has no topicFilterType and cannot be registered compressed`,
    );
  }
  const text = `${topicName} ${readQueueNums} ${writeQueueNums} ${perm} ${topicFilterType}`;
  return fiveX ? `${text} ${writeFastJson(attributes ?? new Map(), 'legacy')}` : text;
}

/**
 * Reads a topic's text with or without attributes, whatever the sender's release; upstream's 4.x refuses all topics with attributes.
 * Attributes that are no JSON object are ignored; a reader of attributes that is given serves all topics of a body.
 *
 * @throws DecodeError when one of the first five parts is missing or not what it should be
 */
export function decodeTopicConfigText(
  text: string,
  attributesReader = new TopicAttributesReader(),
): TopicConfig & { readonly topicName: string } {
  const [topicName, readQueueNums, writeQueueNums, perm, topicFilterType, rest] = partsOf(text);
  const read = parseInt32(readQueueNums ?? '');
  const write = parseInt32(writeQueueNums ?? '');
  const bits = parseInt32(perm ?? '');
  if (topicName === undefined || read === undefined || write === undefined || bits === undefined) {
    throw new DecodeError(
      `a topic of the compressed body is no "name readQueueNums writeQueueNums perm filterType": ${quoteForPeople(text, 128)}`,
    );
  }
  if (topicFilterType !== 'SINGLE_TAG' && topicFilterType !== 'MULTI_TAG') {
    throw new DecodeError(
      `a topic of the compressed body has a topicFilterType nobody knows: ${quoteForPeople(text, 128)}`,
    );
  }
  const attributes = rest === undefined ? undefined : attributesReader.read(rest);
  return {
    topicName,
    readQueueNums: read,
    writeQueueNums: write,
    perm: bits,
    topicFilterType,
    topicSysFlag: 0,
    order: false,
    ...(attributes === undefined ? {} : { attributes }),
  };
}

/** Five parts and the rest. A split would make an element of each space that a hostile text holds. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let end = text.indexOf(' '); end >= 0 && parts.length < 5; end = text.indexOf(' ', start)) {
    parts.push(text.slice(start, end));
    start = end + 1;
  }
  parts.push(text.slice(start));
  return parts;
}
