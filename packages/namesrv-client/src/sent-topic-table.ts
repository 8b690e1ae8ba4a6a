import { isReadable, isWritable, type TopicConfig, type TopicConfigSerializeWrapper } from '@rmqns/protocol';

/**
 * The topic table as it is sent. While the broker's own permission lacks reading or writing, every topic is rebuilt from its name,
 * queues and permission: in 5.x what topic and broker both allow, in 4.x the broker's permission outright, even where the topic has less
 * (reference: broker-registration 2.2). The given table is not touched.
 */
export function sentTopicTable(
  wrapper: TopicConfigSerializeWrapper,
  brokerPermission: number,
  fiveX: boolean,
): TopicConfigSerializeWrapper {
  const { topicConfigTable } = wrapper;
  if ((isReadable(brokerPermission) && isWritable(brokerPermission)) || topicConfigTable === null) return wrapper;
  const sent = new Map<string, TopicConfig>();
  for (const [topic, { topicName, readQueueNums, writeQueueNums, perm }] of topicConfigTable) {
    sent.set(topic, {
      topicName,
      readQueueNums,
      writeQueueNums,
      perm: fiveX ? perm & brokerPermission : brokerPermission,
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: 0,
      order: false,
    });
  }
  return { ...wrapper, topicConfigTable: sent };
}
