import type { Channel } from '../channel/channel.js';
import { CommandFlag } from '../command/command-flag.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Permits } from './permits.js';
import type { CounterTable } from './remoting-counters.js';
import { type InvokeCallback, ResponseFuture, type ResponseFutureInit } from './response-future.js';
import { ResponseTable } from './response-table.js';
import type { RpcHook } from './rpc-hook.js';

export interface CallPathOptions {
  readonly logger: Logger;
  /** MQVersion ordinal stamped on requests that carry none. */
  readonly version: number;
  readonly asyncPermits: number;
  readonly onewayPermits: number;
}

/** The way of a request that is sent, and of the answer that comes back (the calling half of upstream's `NettyRemotingAbstract`). */
export class CallPath {
  readonly responseTable = new ResponseTable();
  readonly asyncPermits: Permits;
  readonly onewayPermits: Permits;
  readonly #options: CallPathOptions;
  readonly #counters: CounterTable;
  readonly #hooks: readonly RpcHook[];

  constructor(options: CallPathOptions, counters: CounterTable, hooks: readonly RpcHook[]) {
    this.#options = options;
    this.#counters = counters;
    this.#hooks = hooks;
    this.asyncPermits = new Permits(options.asyncPermits);
    this.onewayPermits = new Permits(options.onewayPermits);
  }

  /** Begins a call: its time runs from here on, over all that comes before the sending too. */
  begin(init: ResponseFutureInit, callback: InvokeCallback): ResponseFuture {
    return new ResponseFuture(init, this.#ended, callback);
  }

  readonly #ended = (future: ResponseFuture, error: RemotingError | undefined): void => {
    if (error !== undefined) this.#counters.callFailed(error);
    if (future.channel !== undefined && future.opaque !== undefined)
      this.responseTable.remove(future.channel, future.opaque);
  };

  /**
   * Sends the request of a call that waits for an answer. The request object is not changed: what leaves is a copy with an opaque of
   * its own. A call that has ended meanwhile is not sent.
   */
  send(future: ResponseFuture, channel: Channel, request: RemotingCommand): void {
    if (future.isSettled) return;
    const sent = this.#stamp(request);
    const opaque = this.responseTable.put(channel, future);
    sent.opaque = opaque;
    future.sentOver(channel, sent);
    const address = channel.remoteAddress;
    try {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(address, sent);
    } catch (error) {
      future.settle(refusedByHook(error, address, opaque), undefined);
      return;
    }
    // A hook may have ended the call; and what ties the answer to it is not a hook's to change.
    if (future.isSettled) return;
    sent.opaque = opaque;
    sent.flag &= ~(CommandFlag.RESPONSE | CommandFlag.ONEWAY);
    this.#counters.requestsOut++;
    channel.writeAndFlush(sent, (error) => {
      if (error !== undefined) future.settle(sendError(error, address, opaque), undefined);
    });
  }

  /** Sends a request that nobody answers; the call ends when its bytes were handed over, or could not be. */
  sendOneway(future: ResponseFuture, channel: Channel, request: RemotingCommand): void {
    if (future.isSettled) return;
    const address = channel.remoteAddress;
    if (!this.onewayPermits.tryAcquire()) {
      const message = `${this.onewayPermits.total} oneway requests are being sent already; slow down or raise onewayPermits`;
      future.settle(new RemotingError('TOO_MANY_REQUESTS', message, { address }), undefined);
      return;
    }
    const sent = this.#stamp(request);
    sent.flag |= CommandFlag.ONEWAY;
    sent.opaque = this.responseTable.nextOpaque();
    future.sentOver(channel, sent);
    try {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(address, sent);
    } catch (error) {
      this.onewayPermits.release();
      future.settle(refusedByHook(error, address, sent.opaque), undefined);
      return;
    }
    if (future.isSettled) {
      this.onewayPermits.release();
      return;
    }
    sent.flag = (sent.flag & ~CommandFlag.RESPONSE) | CommandFlag.ONEWAY;
    this.#counters.requestsOut++;
    this.#counters.onewayOut++;
    // The permit is for bytes that wait: it comes back with them, also when the call's time was up before.
    channel.writeAndFlush(sent, (error) => {
      this.onewayPermits.release();
      future.settle(error === undefined ? undefined : sendError(error, address, sent.opaque), undefined);
    });
  }

  /**
   * Begins an asynchronous call under a permit, which comes back after the callback. The callback is told once, never before this returns,
   * also when no permit is left; what it throws goes to the logger.
   */
  async(address: string | undefined, callback: InvokeCallback, begin: (callback: InvokeCallback) => void): void {
    let returned = false;
    const tell = (error: RemotingError | undefined, response: RemotingCommand | undefined, after: () => void): void => {
      if (!returned) {
        queueMicrotask(() => tell(error, response, after));
        return;
      }
      try {
        callback(error, response);
      } catch (thrown) {
        this.#options.logger.error({ err: thrown, address }, 'a callback of invokeAsync threw');
      } finally {
        after();
      }
    };
    if (!this.asyncPermits.tryAcquire()) {
      const message = `${this.asyncPermits.total} asynchronous calls are in flight already; slow down or raise asyncPermits`;
      const refused = new RemotingError('TOO_MANY_REQUESTS', message, { address });
      this.#counters.callFailed(refused);
      tell(refused, undefined, () => {});
    } else {
      begin((error, response) => tell(error, response, () => this.asyncPermits.release()));
    }
    returned = true;
  }

  /** Takes an answer that came in on a channel. */
  processResponse(channel: Channel, response: RemotingCommand): void {
    const future = this.responseTable.get(channel, response.opaque);
    if (future === undefined) {
      this.#counters.lateResponses++;
      this.#options.logger.debug(
        { address: channel.remoteAddress, opaque: response.opaque, code: response.code },
        'receive response, but not matched any request: it came late, or was never asked for',
      );
      return;
    }
    this.#counters.responsesIn++;
    const address = channel.remoteAddress;
    try {
      for (const hook of this.#hooks) hook.doAfterResponse?.(address, future.request as RemotingCommand, response);
    } catch (error) {
      const options = { address, opaque: response.opaque };
      const failed = RemotingError.from(error, 'HANDLER_FAILED', 'an RPC hook failed after the answer came', options);
      future.settle(failed, undefined);
      return;
    }
    future.settle(undefined, response);
  }

  /** Ends every call that waits on a channel which is gone (upstream: `failFast`). */
  failFast(channel: Channel, cause: RemotingError | undefined): void {
    const address = channel.remoteAddress;
    const message = `the connection to ${address} closed before the answer came`;
    this.responseTable.failAll(
      channel,
      ({ opaque }) => new RemotingError('CONNECTION_CLOSED', message, { address, opaque, cause }),
    );
  }

  #stamp(request: RemotingCommand): RemotingCommand {
    const sent = request.copy();
    sent.flag &= ~CommandFlag.RESPONSE;
    if (sent.version === 0) sent.version = this.#options.version;
    return sent;
  }
}

function refusedByHook(error: unknown, address: string, opaque: number): RemotingError {
  return RemotingError.from(error, 'HANDLER_FAILED', 'an RPC hook refused the request', { address, opaque });
}

function sendError(error: RemotingError, address: string, opaque: number): RemotingError {
  const options = { address, opaque, cause: error };
  return error.code === 'CONNECTION_CLOSED'
    ? new RemotingError('CONNECTION_CLOSED', `the connection to ${address} closed before the request was sent`, options)
    : new RemotingError('SEND_FAILED', `send request to <${address}> failed: ${error.message}`, options);
}
