import { ResponseCode } from '@rmqns/protocol';
import { type Clock, CommandError } from '@rmqns/remoting';
import { quoteForPeople } from '@rmqns/remoting/json';
import { encodeMessage, type Message, messageId, messageProperties } from './message.js';

/** One stored message in its queue. */
export interface QueuedMessage {
  /** As consumers read it; see encodeMessage. */
  readonly bytes: Buffer;
  /** Empty when it has none. */
  readonly tag: string;
  readonly storeTimestamp: number;
}

/** One queue of a topic: messages in the order they came. Nothing is ever taken out, so the first has offset 0 for ever. */
export class MessageQueue {
  readonly topic: string;
  readonly queueId: number;
  /** By their offset. */
  readonly messages: QueuedMessage[] = [];

  constructor(topic: string, queueId: number) {
    this.topic = topic;
    this.queueId = queueId;
  }

  /** The offset that the next message will have. */
  get maxOffset(): number {
    return this.messages.length;
  }

  /** The first offset that was stored at this time or later; `maxOffset` when there is none. */
  searchOffset(timestamp: number): number {
    let low = 0;
    let high = this.maxOffset;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.messages[middle]?.storeTimestamp ?? 0) < timestamp) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a message costs beyond its own bytes, measured in resident memory with 500,000 of the smallest. */
const OVERHEAD_BYTES = 500;

/** All topics of a node, in memory, with a limit. */
export class MessageStore {
  readonly #queues: ReadonlyMap<string, readonly MessageQueue[]>;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #physicalOffset = 0;
  #usedBytes = 0;
  #messageCount = 0;
  #earliestStoreTimestamp: number | undefined;
  #lastStoreTimestamp = 0;
  #nextQueue = 0;

  /**
   * @param queueNums topics, and how many queues each has
   * @param maxBytes what the messages may take in memory
   */
  constructor(queueNums: Iterable<readonly [topic: string, queueNums: number]>, maxBytes: number, clock: Clock) {
    this.#queues = new Map(
      [...queueNums].map(([topic, count]) => [
        topic,
        Array.from({ length: count }, (_, queueId) => new MessageQueue(topic, queueId)),
      ]),
    );
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** How many messages were stored since the start. */
  get messageCount(): number {
    return this.#messageCount;
  }

  /** The used part of the limit, 0 to 1. */
  get usedRatio(): number {
    return this.#usedBytes / this.#maxBytes;
  }

  /** When the oldest message was stored; `undefined` in an empty store. */
  get earliestStoreTimestamp(): number | undefined {
    return this.#earliestStoreTimestamp;
  }

  hasQueue(topic: string, queueId: number): boolean {
    return this.#queues.get(topic)?.[queueId] !== undefined;
  }

  /** @throws CommandError TOPIC_NOT_EXIST, or SYSTEM_ERROR for a queue outside the topic */
  queue(topic: string, queueId: number): MessageQueue {
    const queues = this.#topic(topic);
    const queue = queues[queueId];
    if (queue !== undefined) return queue;
    throw new CommandError(
      ResponseCode.SYSTEM_ERROR,
      `the topic ${topic} has the queues 0 to ${queues.length - 1}, and no queue ${queueId}`,
    );
  }

  /** The queue that a producer names, or for a negative number one of the topic's in turn. Errors as {@link queue}. */
  queueToWrite(topic: string, queueId: number): MessageQueue {
    return this.queue(topic, queueId < 0 ? this.#nextQueue++ % this.#topic(topic).length : queueId);
  }

  /**
   * Puts messages at the end of a queue: all of them, or none. Tells their ids, and the offset of the first.
   *
   * @throws CommandError SERVICE_NOT_AVAILABLE when the store is full; producers then try another node
   */
  append(
    queue: MessageQueue,
    messages: readonly Message[],
    storeHost: Buffer,
  ): { messageIds: string[]; queueOffset: number } {
    const { topic, queueId, maxOffset } = queue;
    // Searching by time needs times that never go back, whatever the machine's clock does.
    const storeTimestamp = Math.max(this.#lastStoreTimestamp, this.#clock.now());
    let physicalOffset = this.#physicalOffset;
    let usedBytes = this.#usedBytes;
    const messageIds: string[] = [];
    const queued = messages.map((message, i): QueuedMessage => {
      const place = { topic, queueId, queueOffset: maxOffset + i, physicalOffset, storeTimestamp, storeHost };
      const bytes = encodeMessage(message, place);
      messageIds.push(messageId(place));
      // Made anew: a part of a text would keep the whole text.
      const tag = Buffer.from(messageProperties(message.properties).get('TAGS') ?? '').toString();
      physicalOffset += bytes.length;
      usedBytes += bytes.length + 2 * tag.length + OVERHEAD_BYTES;
      return { bytes, tag, storeTimestamp };
    });
    if (usedBytes > this.#maxBytes)
      throw new CommandError(
        ResponseCode.SERVICE_NOT_AVAILABLE,
        `the store is full: it keeps ${this.#maxBytes} bytes in memory and drops nothing`,
      );
    for (const message of queued) queue.messages.push(message);
    this.#physicalOffset = physicalOffset;
    this.#usedBytes = usedBytes;
    this.#messageCount += queued.length;
    this.#earliestStoreTimestamp ??= storeTimestamp;
    this.#lastStoreTimestamp = storeTimestamp;
    return { messageIds, queueOffset: maxOffset };
  }

  #topic(topic: string): readonly MessageQueue[] {
    const queues = this.#queues.get(topic);
    if (queues === undefined)
      throw new CommandError(
        ResponseCode.TOPIC_NOT_EXIST,
        `topic ${quoteForPeople(topic)} not exist: this node creates none by itself`,
      );
    return queues;
  }
}
