import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PermName, type TopicConfig } from '@rmqns/protocol';
import { RemotingError } from '@rmqns/remoting';

/**
 * Every broker has this topic. Here it has a use: a 5.3.3 name server refuses a first registration of exactly one topic (reference:
 * storage-node 3).
 */
const SELF_TEST_TOPIC = 'SELF_TEST_TOPIC';
/** In a route it tells producers that unknown topics come into being by themselves, which here they do not. */
const AUTO_CREATE_TOPIC = 'TBW102';
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
    if (name === AUTO_CREATE_TOPIC)
      throw invalid(
        `${name} is the topic by which brokers create others; this node creates none, so it cannot have it`,
      );
  }
  if (!Number.isInteger(queueNums) || queueNums < 1 || queueNums > 1024)
    throw invalid(`a topic has 1 to 1024 queues, not ${queueNums}`);
  const topics = new Map([[SELF_TEST_TOPIC, topicConfig(SELF_TEST_TOPIC, 1)]]);
  for (const name of names) topics.set(name, topicConfig(name, queueNums));
  return topics;
}

/**
 * Writes `<storeDirectory>/config/topics.json` as a broker does, from which an agent beside this node registers its topics (reference:
 * broker-registration 6.1). The agent counts changes by itself. The file is replaced by rename, so nobody sees half of it.
 */
export async function writeTopicsFile(
  storeDirectory: string,
  topics: ReadonlyMap<string, TopicConfig>,
  nowMillis: number,
): Promise<void> {
  const directory = join(storeDirectory, 'config');
  const path = join(directory, 'topics.json');
  const file = { dataVersion: { counter: 1, timestamp: nowMillis }, topicConfigTable: Object.fromEntries(topics) };
  await mkdir(directory, { recursive: true });
  await writeFile(`${path}.tmp`, JSON.stringify(file, undefined, '\t'));
  await rename(`${path}.tmp`, path);
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
