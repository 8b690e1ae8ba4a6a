import { PermName } from '@rmqns/protocol';
import type { TopicConfigTable } from './topic-config-table.js';

/**
 * The topics that a broker has by the names of its cluster and itself (reference: broker registration 5). Where both names are equal the
 * broker's wins. `TBW102` is never among them: with its perm 7 in the routes every auto-created topic would land on this node.
 */
export function brokerTopics(clusterName: string, brokerName: string): TopicConfigTable {
  const perm = PermName.READ | PermName.WRITE | PermName.INHERIT;
  const topic = (topicName: string, queues: number) =>
    [
      topicName,
      {
        topicName,
        readQueueNums: queues,
        writeQueueNums: queues,
        perm,
        topicFilterType: 'SINGLE_TAG',
        topicSysFlag: 0,
        order: false,
      },
    ] as const;
  return new Map([topic(clusterName, 16), topic(brokerName, 1)]);
}
