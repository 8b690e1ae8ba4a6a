/** How a topic's messages are filtered. */
export type TopicFilterType = 'SINGLE_TAG' | 'MULTI_TAG';

/** One topic as its broker describes it (upstream: `TopicConfig`). */
export interface TopicConfig {
  /** Null when a broker wrote none; such an entry cannot be registered. */
  readonly topicName: string | null;
  /** Default 16. */
  readonly readQueueNums: number;
  /** Default 16. */
  readonly writeQueueNums: number;
  /** Bits of PermName; default 6, read and write. */
  readonly perm: number;
  /** Default SINGLE_TAG; null for a name nobody knows. */
  readonly topicFilterType: TopicFilterType | null;
  /** Bits of TopicSysFlag; default 0. */
  readonly topicSysFlag: number;
  /** Default false. */
  readonly order: boolean;
  /** 5.x only, for instance `message.type`; absent from 4.x brokers. */
  readonly attributes?: ReadonlyMap<string, string> | undefined;
}
