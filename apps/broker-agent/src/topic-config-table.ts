import type { TopicConfig } from '@rmqns/protocol';

/** Topics by name. */
export type TopicConfigTable = ReadonlyMap<string, TopicConfig>;

/** All topics of all tables; where two name the same topic the earlier table wins. */
export function unionTopicConfigTables(tables: Iterable<TopicConfigTable>): Map<string, TopicConfig> {
  const union = new Map<string, TopicConfig>();
  for (const table of tables) {
    for (const [topic, config] of table) if (!union.has(topic)) union.set(topic, config);
  }
  return union;
}

/** What several tables make: the first alone, all together, or all together where none contradicts another. */
export type TopicMerge = 'first' | 'union' | 'strict';

/** The topics that two tables describe in different ways, at most `limit` of them. */
export function conflictingTopics(tables: readonly TopicConfigTable[], limit: number): string[] {
  const seen = new Map<string, TopicConfig>();
  const conflicting = new Set<string>();
  for (const table of tables) {
    for (const [topic, config] of table) {
      const other = seen.get(topic);
      if (other === undefined) seen.set(topic, config);
      else if (!sameTopicConfig(other, config)) conflicting.add(topic);
      if (conflicting.size === limit) return [...conflicting];
    }
  }
  return [...conflicting];
}

/** Whether two tables tell a name server the same, whatever the order of their topics. */
export function sameTopicConfigTable(a: TopicConfigTable, b: TopicConfigTable): boolean {
  if (a.size !== b.size) return false;
  for (const [topic, config] of a) {
    const other = b.get(topic);
    if (other === undefined || !sameTopicConfig(config, other)) return false;
  }
  return true;
}

/** Whether two topics tell a name server the same. */
export function sameTopicConfig(a: TopicConfig, b: TopicConfig): boolean {
  return (
    a.topicName === b.topicName &&
    a.readQueueNums === b.readQueueNums &&
    a.writeQueueNums === b.writeQueueNums &&
    a.perm === b.perm &&
    a.topicFilterType === b.topicFilterType &&
    a.topicSysFlag === b.topicSysFlag &&
    a.order === b.order &&
    sameAttributes(a.attributes ?? new Map(), b.attributes ?? new Map())
  );
}

function sameAttributes(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (b.get(name) !== value) return false;
  return true;
}
