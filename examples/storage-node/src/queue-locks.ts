/** A lock that is not renewed for so long is free (upstream: `RebalanceLockManager`). */
const LOCK_MILLIS = 60_000;

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
  tryLock(group: string, clientId: string, topic: string, queueId: number, nowMillis: number): boolean {
    const key = keyOf(group, topic, queueId);
    const lock = this.#locks.get(key);
    const isFree = lock === undefined ? this.#locks.size < this.#limit : isExpired(lock, nowMillis);
    if (lock?.clientId !== clientId && !isFree) return false;
    this.#locks.set(key, { clientId, lockedMillis: nowMillis });
    return true;
  }

  /** Gives a lock back, if this client has it. */
  unlock(group: string, clientId: string, topic: string, queueId: number): void {
    const key = keyOf(group, topic, queueId);
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

function keyOf(group: string, topic: string, queueId: number): string {
  return JSON.stringify([group, topic, queueId]);
}
