import type { Clock, Timer } from '@rmqns/remoting';
import { attempt } from './attempt.js';

export interface PollerOptions {
  readonly everyMillis: number;
  /** For each look. */
  readonly timeoutMillis: number;
  readonly clock: Clock;
  /** One look. Its signal aborts at the deadline, and when the poller is closed. */
  readonly look: (signal: AbortSignal) => Promise<void>;
  /** The look failed or took too long; not told after the end. */
  readonly onError: (problem: string) => void;
}

/** Looks at something again and again, once at a time: a look that takes longer than the period is not overtaken by the next. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #closing = new AbortController();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Settles after the first look, whichever way it went. */
  start(): Promise<void> {
    const { clock, everyMillis } = this.#options;
    if (!this.#closing.signal.aborted) this.#timer ??= clock.setInterval(() => void this.look(), everyMillis);
    return this.look();
  }

  /** Looks now; who asks during a look gets that one. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    this.#timer?.cancel();
    this.#closing.abort(new Error('the agent stops'));
  }

  async #look(): Promise<void> {
    const { look, timeoutMillis, clock, onError } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    try {
      await attempt(look, timeoutMillis, clock, signal);
    } catch (error) {
      if (!signal.aborted) onError(error instanceof Error ? error.message : String(error));
    }
  }
}
