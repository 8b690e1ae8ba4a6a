import type { Clock, Timer } from '../clock.js';
import type { ChannelTable } from './channel-table.js';
import { DialBackoff, type DialBackoffOptions } from './dial-backoff.js';

/**
 * Makes lost connections anew in the background, so that no call pays for the dial. The first try comes after a random part of the first
 * wait: the clients of a server that restarts do not dial it all at once. A connection that is lost soon after it was made counts as a
 * failure.
 */
export class EagerReconnect {
  readonly #table: ChannelTable;
  readonly #clock: Clock;
  readonly #options: DialBackoffOptions;
  readonly #random: () => number;
  readonly #backoff: DialBackoff;
  readonly #timers = new Map<string, Timer>();
  /** Connections of an address that were lost soon, in a row. */
  readonly #shortLived = new Map<string, number>();
  #isClosed = false;

  constructor(table: ChannelTable, clock: Clock, options: DialBackoffOptions, random: () => number = Math.random) {
    this.#table = table;
    this.#clock = clock;
    this.#options = options;
    this.#random = random;
    this.#backoff = new DialBackoff(options, random);
  }

  /** A connection was lost that nobody gave up. */
  lost(address: string, stoodMillis: number): void {
    if (stoodMillis >= this.#options.maxMillis) this.#shortLived.delete(address);
    const times = this.#shortLived.get(address) ?? 0;
    this.#shortLived.set(address, times + 1);
    const delayMillis =
      times === 0 ? this.#random() * this.#options.initialMillis : this.#backoff.delayMillis(times - 1);
    this.#schedule(address, delayMillis);
  }

  /** The address is not wanted any more. */
  forget(address: string): void {
    this.#shortLived.delete(address);
    this.#timers.get(address)?.cancel();
    this.#timers.delete(address);
  }

  close(): void {
    this.#isClosed = true;
    for (const address of [...this.#timers.keys()]) this.forget(address);
  }

  #schedule(address: string, delayMillis: number): void {
    if (this.#isClosed || this.#timers.has(address)) return;
    const dial = (): void => {
      this.#timers.delete(address);
      void this.#dial(address);
    };
    this.#timers.set(address, this.#clock.setTimeout(dial, delayMillis, true));
  }

  async #dial(address: string): Promise<void> {
    try {
      await this.#table.getOrCreate(address);
    } catch {
      // At least a turn, so that an address that fails at once is no loop.
      this.#schedule(address, Math.max(1, this.#table.waitMillis(address)));
    }
  }
}
