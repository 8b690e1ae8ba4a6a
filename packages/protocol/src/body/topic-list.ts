import { encodeUtf8, parseFastJson, writeFastJson } from '@rmqns/remoting/json';
import { BeanReader, notNull } from './bean-reader.js';
import { decodeUtf8 } from './decode-utf8.js';
import { requiredBody } from './required-body.js';

/** The body of answers to 206, 224, 304, 311, 312 and 313 (upstream: `TopicList`; reference: nameserver 2.10). */
export interface TopicList {
  readonly topicList: readonly string[];
  /** Only in answers to 304: one broker's address. */
  readonly brokerAddr?: string | undefined;
}

/** `{"brokerAddr":"ip:port","topicList":["..."]}`. */
export function encodeTopicList({ topicList, brokerAddr }: TopicList): Buffer {
  return encodeUtf8(writeFastJson({ brokerAddr, topicList }, 'legacy'));
}

/**
 * Reads a topic list.
 *
 * @throws DecodeError when the body is no topic list
 */
export function decodeTopicList(body: Uint8Array): TopicList {
  const bean = notNull(BeanReader.of(parseFastJson(decodeUtf8(body)), 'the topic list'), 'the topic list');
  return { topicList: bean.textList('topicList') ?? [], brokerAddr: bean.text('brokerAddr') ?? undefined };
}

export const topicListBody = requiredBody<TopicList>('the topic list', encodeTopicList, decodeTopicList);
