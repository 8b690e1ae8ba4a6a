import type { DataVersion } from '../data-version.js';
import type { TopicQueueMappingInfo } from '../route/topic-queue-mapping-info.js';
import type { TopicConfig } from './topic-config.js';

/** A broker's topic table with its version (upstream: `TopicConfigAndMappingSerializeWrapper`; 4.x brokers send no mappings). */
export interface TopicConfigSerializeWrapper {
  readonly dataVersion: DataVersion;
  /** By topic name; null only when a peer wrote null. */
  readonly topicConfigTable: ReadonlyMap<string, TopicConfig> | null;
  /** 5.x: static topics by topic name; empty from 4.x. */
  readonly topicQueueMappingInfoMap: ReadonlyMap<string, TopicQueueMappingInfo>;
}
