import type { Channel } from '../channel/channel.js';
import { CommandFlag } from '../command/command-flag.js';
import type { LanguageName } from '../command/language-code.js';
import { createExtFields, type RemotingCommand } from '../command/remoting-command.js';
import type { RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Permits } from './permits.js';
import type { CounterTable } from './remoting-counters.js';
import { DEADLINE_FIELD } from './request-deadline.js';
import { type InvokeCallback, ResponseFuture, type ResponseFutureInit } from './response-future.js';
import { ResponseTable } from './response-table.js';
import type { RpcHook } from './rpc-hook.js';
import { SystemCode } from './system-code.js';

export interface CallPathOptions {
  readonly logger: Logger;
  /** MQVersion ordinal stamped on requests that carry none. */
  readonly version: number;
  /** Language stamped on requests that carry JAVA, which is what a command has of its own. */
  readonly language: LanguageName;
  readonly asyncPermits: number;
  readonly onewayPermits: number;
  /** Whether a call waits for a permit as long as its time lasts, instead of failing at once. */
  readonly waitForPermit?: boolean | undefined;
  /** Whether calls that are awaited take a permit too, as in 5.3.3. */
  readonly limitSyncCalls?: boolean | undefined;
  /** Whether requests say how much of their time is left. */
  readonly sendDeadline?: boolean | undefined;
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

  /** Told of each answer that says GO_AWAY; without it that is an answer like others. */
  onGoAway: ((future: ResponseFuture, channel: Channel) => void) | undefined;

  /** The permits of calls that are awaited, if they need any. */
  get syncPermits(): Permits | undefined {
    return this.#options.limitSyncCalls === true ? this.asyncPermits : undefined;
  }

  get waitsForPermit(): boolean {
    return this.#options.waitForPermit === true;
  }

  /** Begins a call: its time runs from here on, over all that comes before the sending too. */
  begin(init: ResponseFutureInit, callback: InvokeCallback): ResponseFuture {
    return new ResponseFuture(init, this.#ended, callback);
  }

  readonly #ended = (future: ResponseFuture, error: RemotingError | undefined): void => {
    if (error !== undefined && !future.isInner) this.#counters.callFailed(error);
    if (future.channel !== undefined && future.opaque !== undefined)
      this.responseTable.remove(future.channel, future.opaque);
  };

  /** Sends a call over a connection that stands. One that has ended meanwhile is not sent. */
  send(future: ResponseFuture, channel: Channel): void {
    if (future.isSettled) return;
    if (future.isOneway) {
      future.acquire(this.onewayPermits, this.waitsForPermit, () => this.#sendOneway(future, channel));
      return;
    }
    const sent = this.#stamp(future);
    const opaque = this.responseTable.put(channel, future);
    sent.opaque = opaque;
    future.sentOver(channel, sent);
    if (!this.#passesHooks(future, channel, sent)) return;
    // What ties the answer to the call is not a hook's to change.
    sent.opaque = opaque;
    sent.flag &= ~(CommandFlag.RESPONSE | CommandFlag.ONEWAY);
    this.#counters.requestsOut++;
    const wasActive = channel.isActive;
    future.writing();
    channel.writeAndFlush(sent, (error) => {
      if (error === undefined) future.written();
      else notSent(future, channel, error, wasActive);
    });
  }

  /** Sends a request that nobody answers; the call ends when its bytes were handed over, or could not be. */
  #sendOneway(future: ResponseFuture, channel: Channel): void {
    const permits = future.takePermit();
    const sent = this.#stamp(future);
    sent.flag |= CommandFlag.ONEWAY;
    const opaque = this.responseTable.nextOpaque();
    sent.opaque = opaque;
    future.sentOver(channel, sent);
    if (future.isSettled || !this.#passesHooks(future, channel, sent)) {
      permits?.release();
      return;
    }
    sent.opaque = opaque;
    sent.flag = (sent.flag & ~CommandFlag.RESPONSE) | CommandFlag.ONEWAY;
    this.#counters.requestsOut++;
    this.#counters.onewayOut++;
    const wasActive = channel.isActive;
    future.writing();
    // The permit is for bytes that wait: it comes back with them, also when the call's time was up before.
    channel.writeAndFlush(sent, (error) => {
      permits?.release();
      if (error === undefined) future.settle(undefined, undefined);
      else notSent(future, channel, error, wasActive);
    });
  }

  /** False when a hook has ended the call. */
  #passesHooks(future: ResponseFuture, channel: Channel, sent: RemotingCommand): boolean {
    if (this.#hooks.length === 0) return true;
    try {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(channel.remoteAddress, sent);
    } catch (error) {
      future.failWith(error, 'HANDLER_FAILED', 'an RPC hook refused the request');
    }
    return !future.isSettled;
  }

  /** The request of a call was not served: the call waits no longer over that connection. */
  takeBack(future: ResponseFuture): void {
    if (future.channel !== undefined && future.opaque !== undefined)
      this.responseTable.remove(future.channel, future.opaque);
    future.takenBack();
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
    if (response.code === SystemCode.GO_AWAY && this.onGoAway !== undefined) {
      this.onGoAway(future, channel);
      return;
    }
    const address = channel.remoteAddress;
    try {
      for (const hook of this.#hooks) hook.doAfterResponse?.(address, future.request as RemotingCommand, response);
    } catch (error) {
      future.failWith(error, 'HANDLER_FAILED', 'an RPC hook failed after the answer came');
      return;
    }
    future.settle(undefined, response);
  }

  /** Ends every call that waits on a channel which is gone (upstream: `failFast`). */
  failFast(channel: Channel, cause: RemotingError | undefined): void {
    this.responseTable.failAll(channel, (future) => {
      const why = `the connection to ${channel.remoteAddress} closed before the answer came`;
      future.fail('CONNECTION_CLOSED', `${future.command} failed ${future.progress}: ${why}`, cause);
    });
  }

  #stamp(future: ResponseFuture): RemotingCommand {
    const sent = future.asked.copy();
    if (this.#options.sendDeadline === true) {
      sent.extFields ??= createExtFields();
      sent.extFields[DEADLINE_FIELD] = String(Math.ceil(future.remainingMillis));
    }
    sent.flag &= ~CommandFlag.RESPONSE;
    if (sent.version === 0) sent.version = this.#options.version;
    if (sent.language === 'JAVA') sent.language = this.#options.language;
    return sent;
  }
}

function notSent(future: ResponseFuture, channel: Channel, error: RemotingError, wasActive: boolean): void {
  const address = channel.remoteAddress;
  const isRefused = !wasActive || error.code === 'ENCODE_FAILED' || error.code === 'FRAME_TOO_LARGE';
  const sent = isRefused ? 'no' : 'maybe';
  if (error.code === 'CONNECTION_CLOSED') {
    const message = `${future.command} failed: the connection to ${address} closed before the request was sent`;
    future.fail('CONNECTION_CLOSED', message, error, sent);
  } else {
    future.fail('SEND_FAILED', `send request to <${address}> failed: ${error.message}`, error, sent);
  }
}
