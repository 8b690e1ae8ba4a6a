import type { TopicsChange } from '@rmqns/namesrv-client';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { sameTopicConfig, type TopicConfigTable } from './topic-config-table.js';

/** The topics of a table that are ordered. */
export function orderedTopics(table: TopicConfigTable | null | undefined): ReadonlySet<string> {
  return new Set([...(table ?? [])].filter(([, { order }]) => order).map(([topic]) => topic));
}

export function sameTopics(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}

/** The table with the order flags that name servers gave; as it is where none did. */
export function withOrder(table: TopicConfigTable, orderTopics: ReadonlySet<string> | undefined): TopicConfigTable {
  if (orderTopics === undefined) return table;
  return new Map([...table].map(([topic, config]) => [topic, { ...config, order: orderTopics.has(topic) }]));
}

/** The topics that came or changed; `undefined` where none did. */
export function topicsChange(previous: TopicConfigSerializeWrapper, table: TopicConfigTable): TopicsChange | undefined {
  const before: TopicConfigTable = previous.topicConfigTable ?? new Map();
  const topics = [...table]
    .filter(([topic, config]) => {
      const was = before.get(topic);
      return was === undefined || !sameTopicConfig(was, config);
    })
    .map(([topic]) => topic);
  return topics.length === 0 ? undefined : { since: previous.dataVersion, topics };
}

/** How many topics came, went and changed, for the log. */
export function countChanges(before: TopicConfigTable | null | undefined, after: TopicConfigTable) {
  const added = [...after.keys()].filter((topic) => before?.has(topic) !== true).length;
  const removed = [...(before?.keys() ?? [])].filter((topic) => !after.has(topic)).length;
  const changed = [...(before ?? [])].filter(([topic, config]) => {
    const now = after.get(topic);
    return now !== undefined && !sameTopicConfig(config, now);
  }).length;
  return { added, removed, changed };
}
