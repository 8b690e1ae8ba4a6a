import { ResponseCode } from '@rmqns/protocol';
import { type Clock, CommandError } from '@rmqns/remoting';
import type { InetHost } from './inet-host.js';
import { messageId } from './message-id.js';
import { MessageQueue } from './message-queue.js';
import { encodeStoredMessage, type StoredMessage } from './stored-message.js';

/** A message to be stored: what its place in the store does not decide. */
export type NewMessage = Pick<
  StoredMessage,
  'flag' | 'sysFlag' | 'bornTimestamp' | 'bornHost' | 'reconsumeTimes' | 'body' | 'properties'
>;

export interface MessageStoreOptions {
  /** Topics and how many queues each has. */
  readonly topics: ReadonlyMap<string, number>;
  /** What the messages may take in memory, in bytes. */
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** Where messages were put. */
export interface Stored {
  readonly messageIds: readonly string[];
  /** Of the first; the others follow it. */
  readonly queueOffset: number;
}

/** What a message costs beyond its own bytes, in this program. */
const OVERHEAD_BYTES = 200;

/** All topics of a node, in memory, with a limit. */
export class MessageStore {
  readonly #queues: ReadonlyMap<string, readonly MessageQueue[]>;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #byPhysicalOffset = new Map<number, Buffer>();
  #physicalOffset = 0;
  #usedBytes = 0;
  #lastStoreTimestamp = 0;
  #nextQueue = 0;

  constructor({ topics, maxBytes, clock }: MessageStoreOptions) {
    this.#queues = new Map(
      [...topics].map(([topic, queueNums]) => [
        topic,
        Array.from({ length: queueNums }, (_, queueId) => new MessageQueue(topic, queueId)),
      ]),
    );
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** How many messages were stored since the start. */
  get messageCount(): number {
    return this.#byPhysicalOffset.size;
  }

  /** The used part of the limit, 0 to 1. */
  get usedRatio(): number {
    return this.#usedBytes / this.#maxBytes;
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
   * Puts messages at the end of a queue: all of them, or none.
   *
   * @throws CommandError SERVICE_NOT_AVAILABLE when the store is full; producers then try another node
   */
  append(queue: MessageQueue, messages: readonly NewMessage[], storeHost: InetHost): Stored {
    const { topic, queueId, maxOffset } = queue;
    // Searching by time needs times that never go back, whatever the machine's clock does.
    const storeTimestamp = Math.max(this.#lastStoreTimestamp, this.#clock.now());
    let physicalOffset = this.#physicalOffset;
    const encoded = messages.map((message, i) => {
      const place = { topic, queueId, queueOffset: maxOffset + i, physicalOffset, storeTimestamp, storeHost };
      const bytes = encodeStoredMessage({ ...message, ...place });
      physicalOffset += bytes.length;
      return { physicalOffset: place.physicalOffset, bytes };
    });
    const growth = physicalOffset - this.#physicalOffset + OVERHEAD_BYTES * messages.length;
    if (this.#usedBytes + growth > this.#maxBytes) {
      throw new CommandError(
        ResponseCode.SERVICE_NOT_AVAILABLE,
        `the store is full: it keeps ${this.#maxBytes} bytes in memory and drops nothing`,
      );
    }
    for (const { physicalOffset, bytes } of encoded) {
      queue.push({ bytes, storeTimestamp });
      this.#byPhysicalOffset.set(physicalOffset, bytes);
    }
    this.#physicalOffset = physicalOffset;
    this.#usedBytes += growth;
    this.#lastStoreTimestamp = storeTimestamp;
    return {
      messageIds: encoded.map(({ physicalOffset }) => messageId(storeHost, physicalOffset)),
      queueOffset: maxOffset,
    };
  }

  /** The message whose id holds this offset. */
  view(physicalOffset: number): Buffer | undefined {
    return this.#byPhysicalOffset.get(physicalOffset);
  }

  /** When the oldest message was stored; `undefined` in an empty store. */
  get earliestStoreTimestamp(): number | undefined {
    const firsts = [...this.#queues.values()].flatMap((queues) => queues.map((queue) => queue.at(0)?.storeTimestamp));
    const times = firsts.filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #topic(topic: string): readonly MessageQueue[] {
    const queues = this.#queues.get(topic);
    if (queues === undefined)
      throw new CommandError(
        ResponseCode.TOPIC_NOT_EXIST,
        `topic[${topic}] not exist: this node creates none by itself`,
      );
    return queues;
  }
}
