/** The queues of one topic on one broker group (upstream: `QueueData`). */
export interface QueueData {
  readonly brokerName: string;
  readonly readQueueNums: number;
  readonly writeQueueNums: number;
  /** Bits of PermName. */
  readonly perm: number;
  /** Bits of TopicSysFlag; written as `topicSynFlag` up to 4.8. */
  readonly topicSysFlag: number;
}

/** Equality over all five fields. */
export function sameQueueData(a: QueueData, b: QueueData): boolean {
  return (
    a.brokerName === b.brokerName &&
    a.readQueueNums === b.readQueueNums &&
    a.writeQueueNums === b.writeQueueNums &&
    a.perm === b.perm &&
    a.topicSysFlag === b.topicSysFlag
  );
}
