import { ResponseCode } from '@rmqns/protocol';
import { CommandError } from '@rmqns/remoting';
import type { Long } from '@rmqns/remoting/json';

/** How far each group has come in each queue (upstream: `ConsumerOffsetManager`). */
export class ConsumerOffsets {
  readonly #offsets = new Map<string, Long>();
  readonly #limit: number;

  /** @param limit how many offsets are kept, one for a group and queue */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Keeps an offset. One below the last is legal: somebody wants to read again.
   *
   * @throws CommandError SYSTEM_ERROR when it is negative or the table is full
   */
  commit(group: string, topic: string, queueId: number, offset: Long): void {
    if (offset < 0) throw new CommandError(ResponseCode.SYSTEM_ERROR, `the offset ${offset} is below 0`);
    const key = JSON.stringify([group, topic, queueId]);
    if (this.#offsets.size >= this.#limit && !this.#offsets.has(key))
      throw new CommandError(ResponseCode.SYSTEM_ERROR, `${this.#limit} offsets of groups are kept already`);
    this.#offsets.set(key, offset);
  }

  /** `undefined` for a group that has committed nothing in this queue. */
  query(group: string, topic: string, queueId: number): Long | undefined {
    return this.#offsets.get(JSON.stringify([group, topic, queueId]));
  }
}
