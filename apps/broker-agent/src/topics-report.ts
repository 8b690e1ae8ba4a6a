import { sentTopicTable } from '@rmqns/namesrv-client';
import { permToString, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { AgentConfig } from './agent-config.js';
import { table } from './text-table.js';

/** What `topics` prints: each topic as it would be sent, and which source it is from. */
export function topicsReport(
  { identity }: AgentConfig,
  wrapper: TopicConfigSerializeWrapper,
  sourceOf: (topic: string) => string,
  output: 'table' | 'json',
): string {
  const sent = sentTopicTable(wrapper, identity.brokerPermission, identity.enableActingMaster === true);
  const topics = [...(sent.topicConfigTable ?? [])].map(([topic, config]) => ({
    topic,
    read: config.readQueueNums,
    write: config.writeQueueNums,
    perm: permToString(config.perm),
    order: config.order,
    source: sourceOf(topic),
  }));
  if (output === 'json') return JSON.stringify(topics, null, 2);
  const rows = topics.map(({ topic, read, write, perm, order, source }) => [
    topic,
    String(read),
    String(write),
    perm,
    String(order),
    source,
  ]);
  return table([['topic', 'read', 'write', 'perm', 'order', 'source'], ...rows]).join('\n');
}
