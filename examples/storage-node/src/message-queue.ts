/** One stored message in its queue. */
export interface QueuedMessage {
  /** As consumers read it; see encodeStoredMessage. */
  readonly bytes: Buffer;
  readonly storeTimestamp: number;
}

/** One queue of a topic: messages in the order they came, by their offset. Nothing is ever taken out. */
export class MessageQueue {
  readonly topic: string;
  readonly queueId: number;
  /** The first offset kept. */
  readonly minOffset = 0;
  readonly #messages: QueuedMessage[] = [];

  constructor(topic: string, queueId: number) {
    this.topic = topic;
    this.queueId = queueId;
  }

  /** The offset that the next message will have. */
  get maxOffset(): number {
    return this.#messages.length;
  }

  at(offset: number): QueuedMessage | undefined {
    return this.#messages[offset];
  }

  push(message: QueuedMessage): void {
    this.#messages.push(message);
  }

  /** The first offset that was stored at this time or later; `maxOffset` when there is none. */
  searchOffset(timestamp: number): number {
    let low = this.minOffset;
    let high = this.maxOffset;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[middle]?.storeTimestamp ?? 0) < timestamp) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
