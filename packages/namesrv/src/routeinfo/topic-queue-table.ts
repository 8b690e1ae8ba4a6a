import { type QueueData, sameQueueData } from '@rmqns/protocol';
import { NumberSet } from './number-set.js';
import { ownString } from './own-string.js';

/** A broker whose topics differ in more ways than this gets a new object for each. */
const MAX_SHARED_PER_BROKER = 64;

/** One topic. */
interface TopicEntry {
  readonly name: string;
  /** By which brokers know it; that of a topic that is gone serves another. */
  readonly number: number;
  /** On one broker no list, on several one in order of arrival. */
  queues: QueueData | QueueData[];
}

/** What is known of one broker group. */
interface BrokerTopics {
  readonly brokerName: string;
  /** Numbers of its topics. */
  readonly topics: NumberSet;
  /** Equal queue data of a broker are one object: most topics of a broker have the same numbers. */
  readonly shared: Map<string, QueueData>;
  /** The one that was asked for last. */
  lastShared: QueueData | undefined;
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
  readonly #topics = new Map<string, TopicEntry>();
  /** The topics by number; those without a topic are free. */
  readonly #byNumber: (TopicEntry | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  readonly #brokers = new Map<string, BrokerTopics>();
  /** Those that have left, whose queues are still to be removed; nobody sees them. */
  readonly #left = new Map<string, BrokerTopics>();

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  hasEntry(topic: string, brokerName: string): boolean {
    const broker = this.#brokers.get(brokerName);
    const entry = broker && this.#topics.get(topic);
    return entry !== undefined && broker?.topics.has(entry.number) === true;
  }

  get(topic: string, brokerName: string): QueueData | undefined {
    const broker = this.#brokers.get(brokerName);
    const entry = broker && this.#topics.get(topic);
    if (broker === undefined || entry === undefined || !broker.topics.has(entry.number)) return undefined;
    const { queues } = entry;
    return Array.isArray(queues) ? queues[placeOf(queues, broker)] : queues;
  }

  /** The queues of a topic, oldest first; a copy. Empty for an unknown topic. */
  queuesOf(topic: string): QueueData[] {
    const queues = this.#topics.get(topic)?.queues;
    if (queues === undefined) return [];
    const list = Array.isArray(queues) ? queues.slice() : [queues];
    return this.#left.size === 0 ? list : list.filter(({ brokerName }) => !this.#left.has(brokerName));
  }

  /** The oldest queue entry of a topic. */
  first(topic: string): QueueData | undefined {
    if (this.#left.size > 0) return this.queuesOf(topic)[0];
    const queues = this.#topics.get(topic)?.queues;
    return Array.isArray(queues) ? queues[0] : queues;
  }

  /** Whether all queue entries of a topic have one system flag. */
  sameFlag(topic: string): boolean {
    const queues = this.#left.size > 0 ? this.queuesOf(topic) : this.#topics.get(topic)?.queues;
    return !Array.isArray(queues) || queues.every(({ topicSysFlag }) => topicSysFlag === queues[0]?.topicSysFlag);
  }

  topics(): IterableIterator<string> {
    return this.#topics.keys();
  }

  /** The topics of a broker group; a copy, so that they may be removed meanwhile. */
  topicsOf(brokerName: string): string[] {
    return this.#names(this.#brokers.get(brokerName), Infinity);
  }

  /** The number of topics of a broker group. */
  countOf(brokerName: string): number {
    return this.#brokers.get(brokerName)?.topics.size ?? 0;
  }

  /** Some topics of a group that has left, so many at most; none when all are removed. */
  topicsLeft(brokerName: string, most: number): string[] {
    return this.#names(this.#left.get(brokerName), most);
  }

  /** Adds or replaces the queues of a topic on `queueData.brokerName`; a replaced entry keeps its place unless `moveToEnd`. */
  put(topic: string, queueData: QueueData, moveToEnd = false): QueueData {
    const broker = this.#broker(queueData.brokerName);
    const shared = share(broker, queueData);
    const entry = this.#topics.get(topic);
    if (entry === undefined) {
      broker.topics.add(this.#add(ownString(topic), shared).number);
      return shared;
    }
    const { queues } = entry;
    if (broker.topics.add(entry.number)) {
      if (Array.isArray(queues)) queues.push(shared);
      else entry.queues = [queues, shared];
    } else if (!Array.isArray(queues)) {
      entry.queues = shared;
    } else {
      const place = placeOf(queues, broker);
      if (moveToEnd) {
        queues.splice(place, 1);
        queues.push(shared);
      } else {
        queues[place] = shared;
      }
    }
    return shared;
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

  #names(broker: BrokerTopics | undefined, most: number): string[] {
    const names: string[] = [];
    for (const number of broker?.topics.values() ?? []) {
      if (names.length >= most) break;
      const entry = this.#byNumber[number];
      if (entry !== undefined) names.push(entry.name);
    }
    return names;
  }

  #add(name: string, queues: QueueData): TopicEntry {
    const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
    const entry = { name, number, queues };
    this.#topics.set(name, entry);
    this.#byNumber[number] = entry;
    return entry;
  }

  #remove(brokers: Map<string, BrokerTopics>, topic: string, brokerName: string): QueueData | undefined {
    const broker = brokers.get(brokerName);
    const entry = broker && this.#topics.get(topic);
    if (broker === undefined || entry === undefined || !broker.topics.delete(entry.number)) return undefined;
    if (broker.topics.size === 0) brokers.delete(brokerName);
    const { queues } = entry;
    if (!Array.isArray(queues)) {
      this.#topics.delete(topic);
      this.#byNumber[entry.number] = undefined;
      this.#freeNumbers.push(entry.number);
      return queues;
    }
    const [removed] = queues.splice(placeOf(queues, broker), 1);
    const [only] = queues;
    if (queues.length === 1 && only !== undefined) entry.queues = only;
    return removed;
  }

  #broker(brokerName: string): BrokerTopics {
    let broker = this.#brokers.get(brokerName);
    if (broker === undefined) {
      const topics = new NumberSet();
      broker = { brokerName: ownString(brokerName), topics, shared: new Map(), lastShared: undefined, place: 0 };
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
  if (broker.lastShared !== undefined && sameQueueData(broker.lastShared, queueData)) return broker.lastShared;
  const { readQueueNums, writeQueueNums, perm, topicSysFlag } = queueData;
  const key = `${readQueueNums} ${writeQueueNums} ${perm} ${topicSysFlag}`;
  let entry = broker.shared.get(key);
  if (entry === undefined) {
    entry = { brokerName: broker.brokerName, readQueueNums, writeQueueNums, perm, topicSysFlag };
    if (broker.shared.size < MAX_SHARED_PER_BROKER) broker.shared.set(key, entry);
  }
  broker.lastShared = entry;
  return entry;
}
