import type { TopicQueueMappingInfo } from '@rmqns/protocol';
import { ownString } from './own-string.js';

/**
 * topicQueueMappingInfoTable: where the logical queues of static topics lie, by topic and broker (reference: nameserver 3.1, 3.4; 5.x).
 * As in Apache, an entry stays when its broker goes: the logical queues of a static topic outlive a restart of their broker.
 */
export class TopicQueueMappingInfoTable {
  readonly #mappings = new Map<string, ReadonlyMap<string, TopicQueueMappingInfo>>();

  /** By broker name; immutable, a change makes a new map. */
  get(topic: string): ReadonlyMap<string, TopicQueueMappingInfo> | undefined {
    return this.#mappings.get(topic);
  }

  put(topic: string, info: TopicQueueMappingInfo): void {
    this.#mappings.set(ownString(topic), new Map(this.#mappings.get(topic)).set(info.bname, info));
  }
}
