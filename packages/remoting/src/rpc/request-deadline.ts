import type { Channel } from '../channel/channel.js';
import type { Clock, Timer } from '../clock.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import type { ConnectionContext } from './connection-context.js';
import { MAX_TIMER_MILLIS } from './option-table.js';
import type { RequestContext } from './request-processor.js';

/**
 * Ext field in which a caller may say how many milliseconds it still waits, in decimal. An extension of ours: this side reads it
 * with the option `requestDeadlines`, and peers in Java ignore it. The time is a span, so clocks need not agree; it counts from when the request
 * was read.
 */
export const DEADLINE_FIELD = '__deadlineMillis';

/** How long the caller of a request still waits, or `undefined` where it did not say, or not in whole milliseconds. */
export function deadlineMillisOf({ extFields }: RemotingCommand): number | undefined {
  const text = extFields?.[DEADLINE_FIELD];
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Math.min(Number(text), MAX_TIMER_MILLIS) : undefined;
}

/** A request whose caller waits until a known time. No timer runs unless the signal is asked for. */
export class DeadlineContext implements RequestContext {
  readonly connection: ConnectionContext;
  readonly channel: Channel;
  readonly #clock: Clock;
  readonly #deadline: number;
  #abort: AbortController | undefined;
  #timer: Timer | undefined;

  constructor(connection: ConnectionContext, clock: Clock, deadlineMillis: number) {
    this.connection = connection;
    this.channel = connection.channel;
    this.#clock = clock;
    this.#deadline = clock.monotonic() + deadlineMillis;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      const { signal } = this.connection;
      const leftMillis = this.remainingMillis();
      if (signal.aborted) this.#onConnectionEnd();
      else if (leftMillis === 0) this.#onDeadline();
      else {
        signal.addEventListener('abort', this.#onConnectionEnd);
        this.#timer = this.#clock.setTimeout(this.#onDeadline, leftMillis, true);
      }
    }
    return this.#abort.signal;
  }

  get abortReason(): unknown {
    return this.#abort?.signal.reason;
  }

  remainingMillis(): number {
    return Math.max(0, this.#deadline - this.#clock.monotonic());
  }

  /** The request is over: leaves no timer and no listener behind. */
  settle(): void {
    if (this.#abort === undefined) return;
    this.#timer?.cancel();
    this.connection.signal.removeEventListener('abort', this.#onConnectionEnd);
  }

  readonly #onConnectionEnd = (): void => {
    this.#timer?.cancel();
    this.#abort?.abort(this.connection.signal.reason);
  };

  readonly #onDeadline = (): void => {
    const address = this.channel.remoteAddress;
    this.#abort?.abort(
      new RemotingError('TIMEOUT', `${address} waits for the answer no longer: its deadline has passed`, { address }),
    );
  };
}
