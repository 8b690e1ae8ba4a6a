/** System flags of a topic (upstream: `TopicSysFlag`; reference: nameserver 3.1). */
export const TopicSysFlag = {
  /** The topic belongs to a unit. */
  UNIT: 1,
  /** A unit subscribes to the topic. */
  UNIT_SUB: 2,
} as const;

/** Whether a topic belongs to a unit. */
export function hasUnitFlag(topicSysFlag: number): boolean {
  return (topicSysFlag & TopicSysFlag.UNIT) !== 0;
}

/** Whether a unit subscribes to a topic. */
export function hasUnitSubFlag(topicSysFlag: number): boolean {
  return (topicSysFlag & TopicSysFlag.UNIT_SUB) !== 0;
}
