import type { Channel } from '../channel/channel.js';
import type { Timer } from '../clock.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import type { RemotingError } from '../errors.js';

/** Told once how a call ended: with an answer, or with the error that kept it from coming. */
export type InvokeCallback = (error: RemotingError | undefined, response: RemotingCommand | undefined) => void;

/**
 * A call that waits for its answer (upstream: `ResponseFuture`). Answer, timeout, closed connection, failed write and abort all end
 * it through {@link settle}, and only the first of them does.
 */
export class ResponseFuture {
  readonly opaque: number;
  readonly channel: Channel;
  readonly timeoutMillis: number;
  /** Owned by the call; cancelled when it ends. */
  timer: Timer | undefined;
  #callback: InvokeCallback | undefined;
  readonly #onSettled: (future: ResponseFuture) => void;

  constructor(
    opaque: number,
    channel: Channel,
    timeoutMillis: number,
    onSettled: (future: ResponseFuture) => void,
    callback: InvokeCallback,
  ) {
    this.opaque = opaque;
    this.channel = channel;
    this.timeoutMillis = timeoutMillis;
    this.#onSettled = onSettled;
    this.#callback = callback;
  }

  get isSettled(): boolean {
    return this.#callback === undefined;
  }

  /** Ends the call; false when it had ended before. */
  settle(error: RemotingError | undefined, response: RemotingCommand | undefined): boolean {
    const callback = this.#callback;
    if (callback === undefined) return false;
    this.#callback = undefined;
    this.timer?.cancel();
    this.#onSettled(this);
    callback(error, response);
    return true;
  }
}
