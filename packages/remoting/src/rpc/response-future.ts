import { setMaxListeners } from 'node:events';
import type { Channel } from '../channel/channel.js';
import type { Clock, Timer } from '../clock.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import { MAX_TIMER_MILLIS } from './option-table.js';

/** Told once how a call ended: with an answer (a oneway call: without), or with the error that kept it from coming. */
export type InvokeCallback = (error: RemotingError | undefined, response: RemotingCommand | undefined) => void;

export interface ResponseFutureInit {
  readonly clock: Clock;
  /** For all of the call: dial, sending and answer. */
  readonly timeoutMillis: number;
  readonly signal?: AbortSignal | undefined;
  /** Whom the call is for, as its caller wrote it. */
  readonly address?: string | undefined;
  /** What is to be given back or told when the call ends, however it ends; runs before the callback. */
  readonly onSettled?: ((future: ResponseFuture, error: RemotingError | undefined) => void) | undefined;
}

/**
 * One call from its begin to its end (upstream: `ResponseFuture`, which begins at the sending). Answer, timeout, closed connection,
 * failed write and abort all end it through {@link settle}, and only the first of them does.
 */
export class ResponseFuture {
  readonly address: string | undefined;
  readonly timeoutMillis: number;
  #channel: Channel | undefined;
  #request: RemotingCommand | undefined;
  #opaque: number | undefined;
  #callback: InvokeCallback | undefined;
  readonly #init: ResponseFutureInit;
  readonly #ended: (future: ResponseFuture, error: RemotingError | undefined) => void;
  #timer: Timer | undefined;

  /**
   * Begins the call: its time runs. A signal that is aborted already, and a timeout that cannot be, end it at once.
   *
   * @param ended takes the call out of the table of those that wait, and counts it; runs first when the call ends
   */
  constructor(
    init: ResponseFutureInit,
    ended: (future: ResponseFuture, error: RemotingError | undefined) => void,
    callback: InvokeCallback,
  ) {
    this.#init = init;
    this.#ended = ended;
    this.#callback = callback;
    this.address = init.address;
    this.timeoutMillis = init.timeoutMillis;
    const { signal, timeoutMillis } = init;
    if (!(timeoutMillis > 0 && timeoutMillis <= MAX_TIMER_MILLIS)) {
      const message = `a call's timeoutMillis must be above 0 and at most ${MAX_TIMER_MILLIS}, not ${timeoutMillis}`;
      this.settle(this.#error('INVALID_ARGUMENT', message), undefined);
    } else if (signal?.aborted === true) {
      this.#onAbort();
    } else {
      this.#timer = init.clock.setTimeout(() => this.#onTimeout(), timeoutMillis);
      if (signal !== undefined) {
        // Any number of calls may share a signal; each takes its listener back, so this is no leak to warn of.
        if (signal instanceof EventTarget) setMaxListeners(0, signal);
        signal.addEventListener('abort', this.#onAbort);
      }
    }
  }

  /** The connection that the request went over, from then on. */
  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** The request as it was sent, from then on. */
  get request(): RemotingCommand | undefined {
    return this.#request;
  }

  /** The id of the request, from its sending on. */
  get opaque(): number | undefined {
    return this.#opaque;
  }

  sentOver(channel: Channel, request: RemotingCommand): void {
    this.#channel = channel;
    this.#request = request;
    this.#opaque = request.opaque;
  }

  get isSettled(): boolean {
    return this.#callback === undefined;
  }

  /** Ends the call; false when it had ended before. */
  settle(error: RemotingError | undefined, response: RemotingCommand | undefined): boolean {
    const callback = this.#callback;
    if (callback === undefined) return false;
    this.#callback = undefined;
    this.#timer?.cancel();
    this.#init.signal?.removeEventListener('abort', this.#onAbort);
    try {
      this.#ended(this, error);
      this.#init.onSettled?.(this, error);
    } finally {
      // Whatever fails on the way, the caller hears of the end.
      callback(error, response);
    }
    return true;
  }

  readonly #onAbort = (): void => {
    this.settle(this.#error('ABORTED', 'the call was aborted by its signal', this.#init.signal?.reason), undefined);
  };

  #onTimeout(): void {
    const { channel, timeoutMillis } = this;
    const message =
      channel === undefined
        ? `no connection to ${this.address ?? 'a name server'} within the call's ${timeoutMillis} ms`
        : this.#request?.isOneway === true
          ? `${channel.remoteAddress} took none of a oneway request within ${timeoutMillis} ms; it may be sent yet`
          : `wait response on the channel <${channel.remoteAddress}> timeout, ${timeoutMillis}(ms)`;
    this.settle(this.#error('TIMEOUT', message), undefined);
  }

  #error(code: 'INVALID_ARGUMENT' | 'ABORTED' | 'TIMEOUT', message: string, cause?: unknown): RemotingError {
    return new RemotingError(code, message, {
      address: this.channel?.remoteAddress ?? this.address,
      opaque: this.opaque,
      cause,
    });
  }
}
