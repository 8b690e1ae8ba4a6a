import { setMaxListeners } from 'node:events';
import type { Channel } from '../channel/channel.js';
import { RemotingError } from '../errors.js';
import { messagesHeld, messagesWanted } from '../handler/message-hold-events.js';
import type { RequestContext } from './request-processor.js';

/** Answers that may wait for a peer that goes on asking and takes none, where reading is not what slows it down. */
const MAX_UNTAKEN_ANSWERS = 1_024;

/**
 * One connection as its requests see it, and the bound on how many of them are under way. At the bound nothing more is read from it: the
 * peer is slowed down, not refused. Reading goes on when a quarter of the places is free, so that it is not switched with every request.
 */
export class ConnectionContext implements RequestContext {
  readonly channel: Channel;
  readonly #maxInFlight: number;
  #inFlight = 0;
  #paused = false;
  #untaken = 0;
  #abort: AbortController | undefined;
  #ended = false;

  constructor(channel: Channel, maxInFlight: number) {
    this.channel = channel;
    this.#maxInFlight = maxInFlight;
  }

  get connection(): this {
    return this;
  }

  /** Requests that wait or whose processors have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Made when first asked for: most processors never do, and idle connections should cost little. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // Every request that waits for something may listen to it: no leak to warn of.
      setMaxListeners(0, this.#abort.signal);
      if (this.#ended) this.#abort.abort(this.#reason());
    }
    return this.#abort.signal;
  }

  get abortReason(): unknown {
    return this.#abort?.signal.reason;
  }

  remainingMillis(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** A request of this connection does not end at once. */
  began(): void {
    this.#inFlight++;
    if (this.#inFlight < this.#maxInFlight || this.#paused) return;
    this.#paused = true;
    this.channel.holdReads();
    // Reading that stops does not stop what was read: one chunk can hold thousands of requests.
    this.channel.pipeline.fireUserEventTriggered(messagesHeld);
  }

  /** A request that {@link began} is over. */
  finished(): void {
    this.#inFlight--;
    if (!this.#paused || this.#inFlight > this.#maxInFlight * 0.75) return;
    this.#paused = false;
    this.channel.releaseReads();
    if (this.channel.isActive) this.channel.pipeline.fireUserEventTriggered(messagesWanted);
  }

  /**
   * An answer is about to be written. A peer of which nothing is taken off this side's hands, and that asks on and on, is cut off; most are
   * read no more long before, which is no reason to cut them off.
   */
  answering(): void {
    if (this.channel.isWritable) {
      this.#untaken = 0;
      return;
    }
    this.#untaken++;
    if (this.#untaken <= Math.max(MAX_UNTAKEN_ANSWERS, this.#maxInFlight)) return;
    const { remoteAddress: address } = this.channel;
    this.channel.destroy(
      new RemotingError(
        'SEND_FAILED',
        `${address} asked ${this.#untaken} times while it took no answer; the connection is closed to free what waits for it`,
        { address },
      ),
    );
  }

  /** Nobody will read an answer any more. */
  end(): void {
    this.#ended = true;
    this.#abort?.abort(this.#reason());
  }

  #reason(): RemotingError {
    const address = this.channel.remoteAddress;
    return new RemotingError('CONNECTION_CLOSED', `the connection with ${address} ended before the answer`, {
      address,
    });
  }
}
