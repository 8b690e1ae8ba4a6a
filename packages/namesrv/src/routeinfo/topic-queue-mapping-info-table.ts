import type { TopicQueueMappingInfo } from '@rmqns/protocol';
import { ownString } from './own-string.js';

/**
 * topicQueueMappingInfoTable: where the logical queues of static topics lie, by topic and broker (reference: nameserver 3.1, 3.4; 5.x).
 * As in Apache, an entry stays when its broker goes: the logical queues of a static topic outlive a restart of their broker.
 */
export class TopicQueueMappingInfoTable {
  readonly #mappings = new Map<string, Map<string, TopicQueueMappingInfo>>();

  get(topic: string, brokerName: string): TopicQueueMappingInfo | undefined {
    return this.#mappings.get(topic)?.get(brokerName);
  }

  /** By broker name; a copy. */
  byBroker(topic: string): ReadonlyMap<string, TopicQueueMappingInfo> | undefined {
    const mappings = this.#mappings.get(topic);
    return mappings && new Map(mappings);
  }

  put(topic: string, info: TopicQueueMappingInfo): void {
    const mappings = this.#mappings.get(topic);
    if (mappings === undefined) this.#mappings.set(ownString(topic), new Map([[info.bname, info]]));
    else mappings.set(info.bname, info);
  }
}

/** Whether both say the same. */
export function sameMapping(a: TopicQueueMappingInfo, b: TopicQueueMappingInfo): boolean {
  if (a.topic !== b.topic || a.scope !== b.scope || a.totalQueues !== b.totalQueues || a.bname !== b.bname)
    return false;
  if (a.epoch !== b.epoch || a.dirty !== b.dirty || a.currIdMap.size !== b.currIdMap.size) return false;
  for (const [logicalId, physicalId] of a.currIdMap) if (b.currIdMap.get(logicalId) !== physicalId) return false;
  return true;
}
