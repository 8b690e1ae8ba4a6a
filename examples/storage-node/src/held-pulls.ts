import type { Clock, Timer } from '@rmqns/remoting';
import type { MessageQueue } from './message-queue.js';

interface HeldPull {
  readonly timer: Timer;
  readonly release: () => void;
}

/**
 * Pulls that wait for the next message of their queue (upstream: `PullRequestHoldService`, which looks every 5 s; here each has a timer
 * of its own). A pull ends by the first of: a message, its time, the end of its connection, the end of the node.
 */
export class HeldPulls {
  readonly #held = new Map<MessageQueue, Set<HeldPull>>();
  readonly #clock: Clock;
  readonly #limit: number;
  #count = 0;
  #isClosed = false;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** How many wait now. */
  get count(): number {
    return this.#count;
  }

  /**
   * Resolves when it is time to look at the queue again, or there is no use in waiting. At once when too many wait already, or the node
   * is closing.
   *
   * @param signal aborted when the one who asked is gone
   */
  wait(queue: MessageQueue, timeoutMillis: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted || timeoutMillis <= 0 || this.#count >= this.#limit) return Promise.resolve();
    const held = this.#held.get(queue) ?? new Set();
    this.#held.set(queue, held);
    return new Promise((resolve) => {
      const release = (): void => {
        if (!held.delete(pull)) return;
        this.#count--;
        pull.timer.cancel();
        signal.removeEventListener('abort', release);
        resolve();
      };
      const pull: HeldPull = { timer: this.#clock.setTimeout(release, timeoutMillis), release };
      signal.addEventListener('abort', release);
      held.add(pull);
      this.#count++;
    });
  }

  /** Ends the waiting of all who wait for this queue: it has a new message. */
  wake(queue: MessageQueue): void {
    for (const pull of [...(this.#held.get(queue) ?? [])]) pull.release();
  }

  /** Ends all waiting, now and for ever. */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#held.keys()) this.wake(queue);
  }
}
