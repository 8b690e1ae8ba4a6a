import type { Channel } from '../channel/channel.js';
import type { RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';

/**
 * What a client logs of its connections, in the words that operators look for in Apache's logs (reference: remoting 8). A connection over which
 * thousands of calls fail says so once; the rest is at debug, and each caller has its error besides.
 */
export class ConnectionLog {
  readonly #logger: Logger;
  readonly #told = new WeakSet<Channel>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** A connection ended, whoever ended it. */
  closed(channel: Channel): void {
    const { remoteAddress: address } = channel;
    this.#logger.info({ address }, `closeChannel: close the connection to remote address[${address}] result: true`);
  }

  /** A call was not answered in time, and its connection is closed for it. */
  closedForTimeout(channel: Channel, error: RemotingError, timeoutMillis: number): void {
    const { remoteAddress: address } = channel;
    this.#warn(channel, error, `invokeSync: close socket because of timeout, ${timeoutMillis}ms, ${address}`);
  }

  /** A call was not answered in time, and its connection is kept. */
  timedOut(channel: Channel, error: RemotingError): void {
    this.#warn(channel, error, `invokeSync: wait response timeout exception, the channel[${channel.remoteAddress}]`);
  }

  /** A request could not be handed to its connection, which has ended by that. */
  notSent(channel: Channel, error: RemotingError): void {
    const { remoteAddress: address } = channel;
    const failed = `send a request command to channel <${address}> failed.`;
    this.#warn(channel, error, `invokeSync: send request exception, so close the channel[${address}]; ${failed}`);
  }

  #warn(channel: Channel, error: RemotingError, message: string): void {
    const { opaque, code } = error;
    const fields = { address: channel.remoteAddress, opaque, code, reason: error.message };
    if (this.#told.has(channel)) this.#logger.debug(fields, message);
    else this.#logger.warn(fields, message);
    this.#told.add(channel);
  }
}
