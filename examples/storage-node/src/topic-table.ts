import { PermName, type TopicConfig } from '@rmqns/protocol';
import { RemotingError } from '@rmqns/remoting/command';

/**
 * Every broker has this topic. Here it has a use: a 5.3.3 name server refuses a first registration of exactly one topic (reference:
 * storage-node 3).
 */
const SELF_TEST_TOPIC = 'SELF_TEST_TOPIC';
/** Upstream's rule for names, and its limit. */
const TOPIC_NAME = /^[%|a-zA-Z0-9_-]{1,127}$/;

/**
 * The topics of a node as they are registered: those named, readable and writable, and one of every broker's.
 *
 * @throws RemotingError `INVALID_ARGUMENT` for a name that no topic can have, or no number of queues
 */
export function topicTable(names: readonly string[], queueNums: number): Map<string, TopicConfig> {
  for (const name of names) {
    if (!TOPIC_NAME.test(name))
      throw invalid(
        `${JSON.stringify(name)} is no topic name: 1 to 127 of the characters %, |, a-z, A-Z, 0-9, _ and -`,
      );
  }
  if (!Number.isInteger(queueNums) || queueNums < 1 || queueNums > 1024)
    throw invalid(`a topic has 1 to 1024 queues, not ${queueNums}`);
  const topics = new Map([[SELF_TEST_TOPIC, topicConfig(SELF_TEST_TOPIC, 1)]]);
  for (const name of names) topics.set(name, topicConfig(name, queueNums));
  return topics;
}

function topicConfig(topicName: string, queueNums: number): TopicConfig {
  return {
    topicName,
    readQueueNums: queueNums,
    writeQueueNums: queueNums,
    perm: PermName.READ | PermName.WRITE,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  };
}

function invalid(message: string): RemotingError {
  return new RemotingError('INVALID_ARGUMENT', message);
}
