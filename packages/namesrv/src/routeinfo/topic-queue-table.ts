import type { QueueData } from '@rmqns/protocol';
import { ownString } from './own-string.js';

/** A broker whose topics differ in more ways than this gets a new object for each. */
const MAX_SHARED_PER_BROKER = 64;

/** What is known of one broker group. */
interface BrokerTopics {
  readonly brokerName: string;
  readonly topics: Set<string>;
  /** Equal queue data of a broker are one object: most topics of a broker have the same numbers. */
  readonly shared: Map<string, QueueData>;
  /** Where this broker stood in the list looked at last; brokers stand at the same place in most topics. */
  place: number;
}

/**
 * topicQueueTable: the queues of each topic by broker group (reference: nameserver 3.1).
 *
 * An index from broker to topics makes a change of one broker cost what it touches. A topic on one broker holds no container, on
 * several a list in order of arrival. No topic is without queues.
 */
export class TopicQueueTable {
  readonly #queues = new Map<string, QueueData | QueueData[]>();
  readonly #brokers = new Map<string, BrokerTopics>();
  /** Those that have left, whose queues are still to be removed; nobody sees them. */
  readonly #left = new Map<string, BrokerTopics>();

  has(topic: string): boolean {
    return this.#queues.has(topic);
  }

  hasEntry(topic: string, brokerName: string): boolean {
    return this.#brokers.get(brokerName)?.topics.has(topic) ?? false;
  }

  get(topic: string, brokerName: string): QueueData | undefined {
    const broker = this.#brokers.get(brokerName);
    if (broker === undefined || !broker.topics.has(topic)) return undefined;
    const queues = this.#queues.get(topic);
    return Array.isArray(queues) ? queues[placeOf(queues, broker)] : queues;
  }

  /** The queues of a topic, oldest first; a copy. Empty for an unknown topic. */
  queuesOf(topic: string): QueueData[] {
    const queues = this.#queues.get(topic);
    if (queues === undefined) return [];
    const list = Array.isArray(queues) ? queues.slice() : [queues];
    return this.#left.size === 0 ? list : list.filter(({ brokerName }) => !this.#left.has(brokerName));
  }

  /** The oldest queue entry of a topic. */
  first(topic: string): QueueData | undefined {
    if (this.#left.size > 0) return this.queuesOf(topic)[0];
    const queues = this.#queues.get(topic);
    return Array.isArray(queues) ? queues[0] : queues;
  }

  /** Whether all queue entries of a topic have one system flag. */
  sameFlag(topic: string): boolean {
    const queues = this.#left.size > 0 ? this.queuesOf(topic) : this.#queues.get(topic);
    return !Array.isArray(queues) || queues.every(({ topicSysFlag }) => topicSysFlag === queues[0]?.topicSysFlag);
  }

  topics(): IterableIterator<string> {
    return this.#queues.keys();
  }

  /** The topics of a broker group; a copy, so that they may be removed meanwhile. */
  topicsOf(brokerName: string): string[] {
    return [...(this.#brokers.get(brokerName)?.topics ?? [])];
  }

  /** Adds or replaces the queues of a topic on `queueData.brokerName`; a replaced entry keeps its place unless `moveToEnd`. */
  put(topic: string, queueData: QueueData, moveToEnd = false): QueueData {
    const broker = this.#broker(queueData.brokerName);
    const entry = share(broker, queueData);
    const queues = this.#queues.get(topic);
    if (queues === undefined) {
      const name = ownString(topic);
      this.#queues.set(name, entry);
      broker.topics.add(name);
    } else if (!broker.topics.has(topic)) {
      if (Array.isArray(queues)) queues.push(entry);
      else this.#queues.set(topic, [queues, entry]);
      broker.topics.add(ownString(topic));
    } else if (!Array.isArray(queues)) {
      this.#queues.set(topic, entry);
    } else {
      const place = placeOf(queues, broker);
      if (moveToEnd) {
        queues.splice(place, 1);
        queues.push(entry);
      } else {
        queues[place] = entry;
      }
    }
    return entry;
  }

  /** Removes the queues of a topic on one broker group, and the topic with its last ones. */
  remove(topic: string, brokerName: string): QueueData | undefined {
    return this.#remove(this.#brokers, topic, brokerName);
  }

  /**
   * Takes a broker group out of all that is seen, at once however many topics it has; each is then to be removed by {@link removeLeft}.
   * Until then its topics are known, if without its queues, and the group cannot come back.
   */
  leave(brokerName: string): void {
    const broker = this.#brokers.get(brokerName);
    if (broker === undefined) return;
    this.#brokers.delete(brokerName);
    this.#left.set(broker.brokerName, broker);
  }

  /** {@link remove} for a group that has left. */
  removeLeft(topic: string, brokerName: string): QueueData | undefined {
    return this.#remove(this.#left, topic, brokerName);
  }

  #remove(brokers: Map<string, BrokerTopics>, topic: string, brokerName: string): QueueData | undefined {
    const broker = brokers.get(brokerName);
    if (broker === undefined || !broker.topics.delete(topic)) return undefined;
    if (broker.topics.size === 0) brokers.delete(brokerName);
    const queues = this.#queues.get(topic);
    if (!Array.isArray(queues)) {
      this.#queues.delete(topic);
      return queues;
    }
    const [removed] = queues.splice(placeOf(queues, broker), 1);
    const [only] = queues;
    if (queues.length === 1 && only !== undefined) this.#queues.set(topic, only);
    return removed;
  }

  #broker(brokerName: string): BrokerTopics {
    let broker = this.#brokers.get(brokerName);
    if (broker === undefined) {
      broker = { brokerName: ownString(brokerName), topics: new Set(), shared: new Map(), place: 0 };
      this.#brokers.set(broker.brokerName, broker);
    }
    return broker;
  }
}

/** The place of a broker that is known to be in the list. */
function placeOf(queues: readonly QueueData[], broker: BrokerTopics): number {
  if (queues[broker.place]?.brokerName !== broker.brokerName) {
    broker.place = queues.findIndex((queue) => queue.brokerName === broker.brokerName);
  }
  return broker.place;
}

function share(broker: BrokerTopics, queueData: QueueData): QueueData {
  const { readQueueNums, writeQueueNums, perm, topicSysFlag } = queueData;
  const key = `${readQueueNums} ${writeQueueNums} ${perm} ${topicSysFlag}`;
  let entry = broker.shared.get(key);
  if (entry === undefined) {
    entry = { brokerName: broker.brokerName, readQueueNums, writeQueueNums, perm, topicSysFlag };
    if (broker.shared.size < MAX_SHARED_PER_BROKER) broker.shared.set(key, entry);
  }
  return entry;
}
