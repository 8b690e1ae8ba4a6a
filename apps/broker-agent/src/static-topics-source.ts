import type { TopicConfigTable } from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';

/** Topics that the configuration names. They never change. */
export function staticTopicsSource(table: TopicConfigTable, name = 'static'): TopicSource {
  return { name, current: { table }, start: async () => {}, close: () => {} };
}
