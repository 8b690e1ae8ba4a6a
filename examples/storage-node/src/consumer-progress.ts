import { ResponseCode } from '@rmqns/protocol';
import { CommandError } from '@rmqns/remoting';
import type { Long } from '@rmqns/remoting/json';
import { refuseLongName } from './consumer-groups.js';

/** A lock that is not renewed for so long is free (upstream: `RebalanceLockManager`). */
const LOCK_MILLIS = 60_000;

/** One queue as one group consumes it. */
export interface GroupQueue {
  readonly consumerGroup: string;
  readonly topic: string;
  readonly queueId: number;
}

/** How far each group has come in each queue (reference: storage-node 6.6; upstream: `ConsumerOffsetManager`). */
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
   * @throws CommandError SYSTEM_ERROR when it is negative, the group's name too long, or the table full
   */
  commit(queue: GroupQueue, offset: Long): void {
    const key = keyOf(queue);
    if (offset < 0) throw new CommandError(ResponseCode.SYSTEM_ERROR, `the offset ${offset} is below 0`);
    if (this.#offsets.size >= this.#limit && !this.#offsets.has(key))
      throw new CommandError(ResponseCode.SYSTEM_ERROR, `${this.#limit} offsets of groups are kept already`);
    this.#offsets.set(key, offset);
  }

  /** `undefined` for a group that has committed nothing in this queue. */
  query(queue: GroupQueue): Long | undefined {
    return this.#offsets.get(keyOf(queue));
  }
}

interface QueueLock {
  readonly clientId: string;
  readonly lockedMillis: number;
}

/**
 * Which client of a group consumes a queue in order (reference: storage-node 6.6). A lock belongs to group and client, never to a
 * connection; clients renew theirs every 20 s.
 */
export class QueueLocks {
  readonly #locks = new Map<string, QueueLock>();
  readonly #limit: number;

  /** @param limit how many locks there may be; beyond it none is granted */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes or renews the lock of a queue; false when another client has it. */
  tryLock(queue: GroupQueue, clientId: string, nowMillis: number): boolean {
    const key = keyOf(queue);
    const lock = this.#locks.get(key);
    const isFree = lock === undefined ? this.#locks.size < this.#limit : isExpired(lock, nowMillis);
    if (lock?.clientId !== clientId && !isFree) return false;
    this.#locks.set(key, { clientId, lockedMillis: nowMillis });
    return true;
  }

  /** Gives a lock back, if this client has it. */
  unlock(queue: GroupQueue, clientId: string): void {
    const key = keyOf(queue);
    if (this.#locks.get(key)?.clientId === clientId) this.#locks.delete(key);
  }

  /** Forgets the locks that nobody holds any more. */
  expire(nowMillis: number): void {
    for (const [key, lock] of this.#locks) if (isExpired(lock, nowMillis)) this.#locks.delete(key);
  }
}

function isExpired({ lockedMillis }: QueueLock, nowMillis: number): boolean {
  return nowMillis - lockedMillis >= LOCK_MILLIS;
}

function keyOf({ consumerGroup, topic, queueId }: GroupQueue): string {
  refuseLongName(consumerGroup);
  return JSON.stringify([consumerGroup, topic, queueId]);
}
