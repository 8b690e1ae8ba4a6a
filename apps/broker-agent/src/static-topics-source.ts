import type { TopicConfigTable } from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';

/** Topics that the configuration names. They never change. */
export function staticTopicsSource(table: TopicConfigTable): TopicSource {
  return { name: 'static', current: { table }, start: async () => {}, close: () => {} };
}
