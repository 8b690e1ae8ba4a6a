import type { Channel } from '../channel/channel.js';
import type { Clock } from '../clock.js';
import { CommandFlag } from '../command/command-flag.js';
import type { LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import type { SerializeType } from '../command/serialize-type.js';
import { CommandError, RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';
import { Permits } from './permits.js';
import { ProcessorTable } from './processor-table.js';
import type { ProcessorResult, RequestContext } from './request-processor.js';
import { type InvokeCallback, ResponseFuture } from './response-future.js';
import { ResponseTable } from './response-table.js';
import type { RpcHook } from './rpc-hook.js';
import { SystemCode, SystemRemark } from './system-code.js';

export interface RemotingCoreOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** MQVersion ordinal stamped on commands that carry none. */
  readonly version: number;
  /** Language stamped on answers and requests made here. */
  readonly language: LanguageName;
  /** Header format of answers: the request's, or one of our own. */
  readonly responseSerializeType: 'request' | SerializeType;
  readonly asyncPermits: number;
  readonly onewayPermits: number;
}

/** What happened, for counters; each is one step of {@link RemotingCounters}. */
export interface RemotingCounters {
  /** Requests that came in, oneway ones included. */
  requests: number;
  /** Answers that matched no waiting call: late, or never asked for. */
  lateResponses: number;
  /** Answers made by this layer because a processor or hook failed. */
  systemErrors: number;
}

/**
 * What client and server share (upstream: `NettyRemotingAbstract`): the table of waiting calls, the processors, the hooks, and the
 * two paths that a command takes. Bit 0 of its flag decides: requests go to a processor, responses to the call that waits for them.
 * Both roles accept both, so a server may call its clients.
 */
export class RemotingCore {
  readonly responseTable = new ResponseTable();
  readonly processorTable = new ProcessorTable();
  readonly asyncPermits: Permits;
  readonly onewayPermits: Permits;
  readonly counters: RemotingCounters = { requests: 0, lateResponses: 0, systemErrors: 0 };
  readonly #hooks: RpcHook[] = [];
  readonly #options: RemotingCoreOptions;
  #inFlight = 0;
  #onIdle: (() => void)[] = [];

  constructor(options: RemotingCoreOptions) {
    this.#options = options;
    this.asyncPermits = new Permits(options.asyncPermits);
    this.onewayPermits = new Permits(options.onewayPermits);
  }

  /** Adds a hook; the same one twice is kept once. */
  registerRpcHook(hook: RpcHook): void {
    if (!this.#hooks.includes(hook)) this.#hooks.push(hook);
  }

  /** Requests whose processor has not ended yet. */
  get requestsInFlight(): number {
    return this.#inFlight;
  }

  /** Resolves as soon as no processor runs. */
  whenProcessorsIdle(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Takes a command that came in on a channel. */
  processMessageReceived(ctx: RequestContext, command: RemotingCommand): void {
    if (command.isResponse) this.#processResponse(ctx.channel, command);
    else this.#processRequest(ctx, command);
  }

  // The path stays synchronous as long as the processor is, so that answers to the requests of one read leave in one write.
  #processRequest(ctx: RequestContext, request: RemotingCommand): void {
    this.counters.requests++;
    const processor = this.processorTable.find(request.code);
    if (processor === undefined) {
      this.#answer(
        ctx,
        request,
        RemotingCommand.response(SystemCode.REQUEST_CODE_NOT_SUPPORTED, SystemRemark.notSupported(request.code)),
      );
      return;
    }
    const remoteAddress = ctx.channel.remoteAddress;
    let result: ProcessorResult | Promise<ProcessorResult>;
    try {
      if (processor.rejectRequest?.() === true) {
        this.#answer(ctx, request, RemotingCommand.response(SystemCode.SYSTEM_BUSY, SystemRemark.REJECTED));
        return;
      }
      for (const hook of this.#hooks) hook.doBeforeRequest?.(remoteAddress, request);
      result = processor.processRequest(ctx, request);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, request, remoteAddress));
      return;
    }
    if (result instanceof Promise) void this.#finishLater(ctx, request, result);
    else this.#finish(ctx, request, result);
  }

  async #finishLater(ctx: RequestContext, request: RemotingCommand, result: Promise<ProcessorResult>): Promise<void> {
    this.#inFlight++;
    try {
      this.#finish(ctx, request, await result);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, request, ctx.channel.remoteAddress));
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  #finish(ctx: RequestContext, request: RemotingCommand, response: ProcessorResult): void {
    try {
      for (const hook of this.#hooks) hook.doAfterResponse?.(ctx.channel.remoteAddress, request, response);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, request, ctx.channel.remoteAddress));
      return;
    }
    if (response !== undefined) this.#answer(ctx, request, response);
  }

  /** Oneway requests are never answered, not even with errors; a channel that is gone takes no answer. */
  #answer(ctx: RequestContext, request: RemotingCommand, response: RemotingCommand): void {
    if (request.isOneway || !ctx.channel.isActive) return;
    const { version, language, responseSerializeType, logger } = this.#options;
    response.opaque = request.opaque;
    response.flag |= CommandFlag.RESPONSE;
    if (response.version === 0) response.version = version;
    response.language = language;
    response.serializeType = responseSerializeType === 'request' ? request.serializeType : responseSerializeType;
    ctx.channel.writeAndFlush(response, (error) => {
      if (error === undefined) return;
      const fields = { err: error, address: ctx.channel.remoteAddress, code: request.code, opaque: request.opaque };
      if (error.code !== 'ENCODE_FAILED' && error.code !== 'FRAME_TOO_LARGE') {
        logger.debug(fields, 'the connection ended before the answer was sent');
        return;
      }
      // An answer that cannot be written must not leave its caller waiting.
      logger.error(fields, 'the answer cannot be encoded; its caller got SYSTEM_ERROR');
      this.counters.systemErrors++;
      const instead = RemotingCommand.response(SystemCode.SYSTEM_ERROR, error.message, {
        opaque: request.opaque,
        version: response.version,
        language,
      });
      ctx.channel.writeAndFlush(instead);
    });
  }

  #errorResponse(error: unknown, request: RemotingCommand, address: string): RemotingCommand {
    if (error instanceof CommandError) return RemotingCommand.response(error.responseCode, error.remark);
    this.counters.systemErrors++;
    const expected = RemotingError.is(error);
    const fields = { err: error, address, code: request.code, opaque: request.opaque };
    if (expected) this.#options.logger.debug(fields, 'the request was refused');
    else this.#options.logger.error(fields, 'the processor failed; its caller got SYSTEM_ERROR');
    // Not the stack: it names paths of this machine to whoever asks.
    const remark = expected
      ? error.message
      : error instanceof Error
        ? `${error.name}: ${error.message}`
        : String(error);
    return RemotingCommand.response(SystemCode.SYSTEM_ERROR, remark);
  }

  #processResponse(channel: Channel, response: RemotingCommand): void {
    const future = this.responseTable.get(response.opaque);
    // Only the peer that was asked may answer.
    if (future === undefined || future.channel !== channel) {
      this.counters.lateResponses++;
      this.#options.logger.debug(
        { address: channel.remoteAddress, opaque: response.opaque, code: response.code },
        'receive response, but not matched any request: it came late, or was never asked for',
      );
      return;
    }
    future.settle(undefined, response);
  }

  /**
   * Sends a request and calls back once with its answer or error. The request object is not changed: what leaves is a copy with an
   * opaque of its own.
   *
   * @param onSettled runs before the callback, however the call ends; permits and abort listeners go back there
   */
  invoke(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis: number,
    onSettled: () => void,
    callback: InvokeCallback,
  ): ResponseFuture {
    const address = channel.remoteAddress;
    const sent = this.#stamp(request, 0);
    const future = new ResponseFuture(
      sent.opaque,
      channel,
      timeoutMillis,
      (ended) => {
        this.responseTable.remove(ended);
        onSettled();
      },
      (error, response) => {
        if (error === undefined) {
          try {
            for (const hook of this.#hooks) hook.doAfterResponse?.(address, sent, response);
          } catch (failed) {
            callback(
              RemotingError.from(failed, 'HANDLER_FAILED', 'an RPC hook failed after the answer came', {
                address,
                opaque: sent.opaque,
              }),
              undefined,
            );
            return;
          }
        }
        callback(error, response);
      },
    );
    this.responseTable.put(future);
    future.timer = this.#options.clock.setTimeout(() => {
      future.settle(
        new RemotingError(
          'TIMEOUT',
          `wait response on the channel <${address}> timeout, ${Math.round(timeoutMillis)}(ms)`,
          { address, opaque: sent.opaque },
        ),
        undefined,
      );
    }, timeoutMillis);
    try {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(address, sent);
    } catch (error) {
      future.settle(
        RemotingError.from(error, 'HANDLER_FAILED', 'an RPC hook refused the request', {
          address,
          opaque: sent.opaque,
        }),
        undefined,
      );
      return future;
    }
    channel.writeAndFlush(sent, (error) => {
      if (error !== undefined) future.settle(this.#sendError(error, address, sent.opaque), undefined);
    });
    return future;
  }

  /** Sends a request that nobody answers; calls back when its bytes were handed over, or could not be. */
  invokeOneway(channel: Channel, request: RemotingCommand, callback: (error: RemotingError | undefined) => void): void {
    const address = channel.remoteAddress;
    if (!this.onewayPermits.tryAcquire()) {
      callback(
        new RemotingError(
          'TOO_MANY_REQUESTS',
          `${this.onewayPermits.total} oneway requests are being sent already; slow down or raise onewayPermits`,
          { address },
        ),
      );
      return;
    }
    const sent = this.#stamp(request, CommandFlag.ONEWAY);
    try {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(address, sent);
    } catch (error) {
      this.onewayPermits.release();
      callback(
        RemotingError.from(error, 'HANDLER_FAILED', 'an RPC hook refused the request', {
          address,
          opaque: sent.opaque,
        }),
      );
      return;
    }
    channel.writeAndFlush(sent, (error) => {
      this.onewayPermits.release();
      callback(error === undefined ? undefined : this.#sendError(error, address, sent.opaque));
    });
  }

  /** Ends every call that waits on a channel which is gone (upstream: `failFast`). */
  failFast(channel: Channel, cause: RemotingError | undefined): void {
    const address = channel.remoteAddress;
    this.responseTable.failAll(
      (future) =>
        new RemotingError('CONNECTION_CLOSED', `the connection to ${address} closed before the answer came`, {
          address,
          opaque: future.opaque,
          cause,
        }),
      channel,
    );
  }

  #sendError(error: RemotingError, address: string, opaque: number): RemotingError {
    if (error.code === 'CONNECTION_CLOSED') {
      return new RemotingError('CONNECTION_CLOSED', `the connection to ${address} closed before the request was sent`, {
        address,
        opaque,
        cause: error,
      });
    }
    return new RemotingError('SEND_FAILED', `send request to <${address}> failed: ${error.message}`, {
      address,
      opaque,
      cause: error,
    });
  }

  #stamp(request: RemotingCommand, flag: number): RemotingCommand {
    const sent = request.copy();
    sent.opaque = this.responseTable.nextOpaque();
    sent.flag = (sent.flag & ~CommandFlag.RESPONSE) | flag;
    if (sent.version === 0) sent.version = this.#options.version;
    return sent;
  }
}
