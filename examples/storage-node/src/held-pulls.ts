import type { Clock, Timer } from '@rmqns/remoting';
import type { MessageQueue } from './message-store.js';

interface HeldPull {
  readonly timer: Timer;
  readonly release: () => void;
}

/** How long a pull waits that is one too many: consumers answered at once ask again at once. */
const CROWDED_MILLIS = 100;

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

  /** @param limit how many wait for their whole time; those beyond it wait for 100 ms */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** How many wait now. */
  get count(): number {
    return this.#count;
  }

  /**
   * Resolves when it is time to look at the queue again, or there is no use in waiting, as when the node is closing.
   *
   * @param signal aborted when the one who asked is gone
   */
  wait(queue: MessageQueue, timeoutMillis: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted || timeoutMillis <= 0) return Promise.resolve();
    const millis = this.#count < this.#limit ? timeoutMillis : Math.min(timeoutMillis, CROWDED_MILLIS);
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
      const pull: HeldPull = { timer: this.#clock.setTimeout(release, millis), release };
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
