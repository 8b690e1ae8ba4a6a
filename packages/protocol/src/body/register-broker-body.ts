import type { TopicConfigSerializeWrapper } from './topic-config-serialize-wrapper.js';

/** What a broker registers: its topics and its filter servers (upstream: `RegisterBrokerBody`). */
export interface RegisterBrokerBody {
  readonly topicConfigSerializeWrapper: TopicConfigSerializeWrapper;
  /** Null: leave the filter table alone; empty: remove the entry. */
  readonly filterServerList: readonly string[] | null;
}
