import type { BrokerData } from './broker-data.js';
import type { QueueData } from './queue-data.js';
import type { TopicQueueMappingInfo } from './topic-queue-mapping-info.js';

/** All a client needs to find a topic's queues (upstream: `TopicRouteData`). */
export interface TopicRouteData {
  /** `brokerA:4;brokerB:4`; absent unless order messages are enabled. */
  readonly orderTopicConf?: string | undefined;
  readonly queueDatas: readonly QueueData[];
  readonly brokerDatas: readonly BrokerData[];
  /** Broker address to the addresses of its filter servers. */
  readonly filterServerTable: ReadonlyMap<string, readonly string[]>;
  /** Broker name to mapping; only for static topics. */
  readonly topicQueueMappingByBroker?: ReadonlyMap<string, TopicQueueMappingInfo> | undefined;
}
