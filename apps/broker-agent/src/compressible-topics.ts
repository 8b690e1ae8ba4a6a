import { encodeTopicConfigText } from '@rmqns/protocol';
import { RemotingError } from '@rmqns/remoting';
import type { TopicConfigTable } from './topic-config-table.js';

/** A table without the topics that cannot be registered compressed, and those: names with a blank, which no broker accepts anyway. */
export function splitCompressible(table: TopicConfigTable): {
  readonly compressible: TopicConfigTable;
  readonly others: readonly string[];
} {
  const others = [...table].filter(([, config]) => !isCompressible(config)).map(([topic]) => topic);
  if (others.length === 0) return { compressible: table, others };
  const compressible = new Map(table);
  for (const topic of others) compressible.delete(topic);
  return { compressible, others };
}

function isCompressible(config: Parameters<typeof encodeTopicConfigText>[0]): boolean {
  try {
    encodeTopicConfigText(config, { fiveX: false });
    return true;
  } catch (error) {
    if (!RemotingError.is(error)) throw error;
    return false;
  }
}
