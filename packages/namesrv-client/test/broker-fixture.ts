import type { TopicConfig, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { BrokerIdentity } from '../src/broker-identity.js';

export const identity: BrokerIdentity = {
  clusterName: 'C1',
  brokerName: 'broker-a',
  brokerId: 0,
  brokerAddr: '10.0.0.1:10911',
  haServerAddr: '10.0.0.1:10912',
};

export function topicConfig(topicName: string, perm = 6): TopicConfig {
  return {
    topicName,
    readQueueNums: 4,
    writeQueueNums: 4,
    perm,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  };
}

/** A table of these topics, with the counter as its version. */
export function topicTable(counter: number, ...topics: (string | TopicConfig)[]): TopicConfigSerializeWrapper {
  const configs = topics.map((topic) => (typeof topic === 'string' ? topicConfig(topic) : topic));
  return {
    dataVersion: { timestamp: 1_600_000_000_000, counter, stateVersion: 0 },
    topicConfigTable: new Map(configs.map((config) => [config.topicName ?? '', config])),
    topicQueueMappingInfoMap: new Map(),
  };
}
