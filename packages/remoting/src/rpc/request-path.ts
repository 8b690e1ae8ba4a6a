import { CommandFlag } from '../command/command-flag.js';
import type { LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import type { SerializeType } from '../command/serialize-type.js';
import { handleTracing } from '../diagnostics.js';
import { type CommandError, RemotingError } from '../errors.js';
import type { Logger } from '../logger.js';
import { ProcessorTable } from './processor-table.js';
import type { CounterTable } from './remoting-counters.js';
import type { ProcessorResult, RequestContext } from './request-processor.js';
import type { RpcHook } from './rpc-hook.js';
import { SystemCode, SystemRemark } from './system-code.js';
import { traceRequest, traceRequestEnd, traceRequestError } from './trace-request.js';

export interface RequestPathOptions {
  readonly logger: Logger;
  /** MQVersion ordinal stamped on answers that carry none. */
  readonly version: number;
  /** Language stamped on answers. */
  readonly language: LanguageName;
  /** Header format of answers: the request's, or one of our own. */
  readonly responseSerializeType: 'request' | SerializeType;
}

/**
 * The way of a request that comes in, to its processor and back as an answer (the serving half of upstream's `NettyRemotingAbstract`;
 * reference: remoting 3.3). It stays synchronous as long as the processor is, so that the answers to the requests of one read leave in
 * one write.
 */
export class RequestPath {
  readonly processorTable = new ProcessorTable();
  readonly #options: RequestPathOptions;
  readonly #counters: CounterTable;
  readonly #hooks: readonly RpcHook[];
  #inFlight = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: RequestPathOptions, counters: CounterTable, hooks: readonly RpcHook[]) {
    this.#options = options;
    this.#counters = counters;
    this.#hooks = hooks;
  }

  /** Requests whose processor has not ended yet. */
  get requestsInFlight(): number {
    return this.#inFlight;
  }

  /** Resolves as soon as no processor runs. */
  whenIdle(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  processRequest(ctx: RequestContext, request: RemotingCommand): void {
    this.#counters.requestsIn++;
    if (request.isOneway) this.#counters.onewayIn++;
    this.#counters.requestCodes.add(request.code);
    if (handleTracing.hasSubscribers) traceRequest(ctx.channel, request, undefined, () => this.#process(ctx, request));
    else this.#process(ctx, request);
  }

  #process(ctx: RequestContext, request: RemotingCommand): void {
    const processor = this.processorTable.find(request.code);
    if (processor === undefined) {
      const remark = SystemRemark.notSupported(request.code);
      this.#answer(ctx, request, RemotingCommand.response(SystemCode.REQUEST_CODE_NOT_SUPPORTED, remark));
      return;
    }
    let result: ProcessorResult | Promise<ProcessorResult>;
    try {
      if (processor.rejectRequest?.() === true) {
        this.#counters.rejected++;
        this.#answer(ctx, request, RemotingCommand.response(SystemCode.SYSTEM_BUSY, SystemRemark.REJECTED));
        return;
      }
      for (const hook of this.#hooks) hook.doBeforeRequest?.(ctx.channel.remoteAddress, request);
      result = processor.processRequest(ctx, request);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      return;
    }
    if (isPromiseLike(result)) void this.#finishLater(ctx, request, result);
    else this.#finish(ctx, request, result);
  }

  async #finishLater(
    ctx: RequestContext,
    request: RemotingCommand,
    result: PromiseLike<ProcessorResult>,
  ): Promise<void> {
    this.#inFlight++;
    try {
      this.#finish(ctx, request, await result);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  #finish(ctx: RequestContext, request: RemotingCommand, response: ProcessorResult): void {
    try {
      for (const hook of this.#hooks) hook.doAfterResponse?.(ctx.channel.remoteAddress, request, response);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      return;
    }
    // Null too, for processors not written in TypeScript.
    if (response != null) this.#answer(ctx, request, response);
    else if (handleTracing.hasSubscribers)
      traceRequestEnd(request, request.isOneway ? 'oneway' : 'unanswered', undefined, undefined);
  }

  /** Oneway requests are never answered, not even with errors; a channel that is gone takes no answer. */
  #answer(ctx: RequestContext, request: RemotingCommand, response: RemotingCommand): void {
    if (request.isOneway || !ctx.channel.isActive) {
      if (handleTracing.hasSubscribers)
        traceRequestEnd(request, request.isOneway ? 'oneway' : 'cancelled', undefined, undefined);
      return;
    }
    this.#counters.responsesOut++;
    this.#counters.responseCodes.add(response.code);
    this.#stamp(response, request);
    ctx.channel.writeAndFlush(response, (error) => {
      if (handleTracing.hasSubscribers)
        traceRequestEnd(request, error === undefined ? 'answered' : 'writeFailed', response, error);
      if (error !== undefined) this.#notSent(ctx, request, error);
    });
  }

  #stamp(response: RemotingCommand, request: RemotingCommand): void {
    const { version, language, responseSerializeType } = this.#options;
    response.opaque = request.opaque;
    response.flag |= CommandFlag.RESPONSE;
    if (response.version === 0) response.version = version;
    response.language = language;
    response.serializeType = responseSerializeType === 'request' ? request.serializeType : responseSerializeType;
  }

  #notSent(ctx: RequestContext, request: RemotingCommand, error: RemotingError): void {
    const fields = this.#fields(error, ctx, request);
    const { code } = error;
    // A handler's failure is that of the write only while the connection stands; else it is what ended the connection.
    const isOwn = code === 'HANDLER_FAILED' && ctx.channel.isActive;
    if (code !== 'ENCODE_FAILED' && code !== 'FRAME_TOO_LARGE' && !isOwn) {
      this.#options.logger.debug(fields, 'the connection ended before the answer was sent');
      return;
    }
    // An answer that cannot be written must not leave its caller waiting.
    this.#options.logger.error(fields, 'the answer cannot be written; its caller got SYSTEM_ERROR');
    this.#counters.systemErrors++;
    const instead = RemotingCommand.response(SystemCode.SYSTEM_ERROR, error.message);
    this.#stamp(instead, request);
    // It was told once what goes wrong.
    ctx.channel.writeAndFlush(instead, ignored);
  }

  #errorResponse(error: unknown, ctx: RequestContext, request: RemotingCommand): RemotingCommand {
    const known = RemotingError.is(error) ? error : undefined;
    // Not by instanceof: another installed copy of this package has a CommandError of its own.
    if (known?.code === 'COMMAND_FAILED') {
      const { responseCode, remark } = known as CommandError;
      return RemotingCommand.response(responseCode, remark);
    }
    this.#counters.systemErrors++;
    if (handleTracing.hasSubscribers) traceRequestError(request, error);
    const fields = this.#fields(error, ctx, request);
    if (known?.code === 'DECODE_FAILED') this.#options.logger.debug(fields, 'the request was refused');
    else this.#options.logger.error(fields, 'the processor failed; its caller got SYSTEM_ERROR');
    // Not the stack: it names paths of this machine to whoever asks.
    const remark = known?.message ?? (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    return RemotingCommand.response(SystemCode.SYSTEM_ERROR, remark);
  }

  #fields(error: unknown, ctx: RequestContext, request: RemotingCommand): object {
    return { err: error, address: ctx.channel.remoteAddress, code: request.code, opaque: request.opaque };
  }
}

/** Also the promise of another library. */
function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | undefined)?.then === 'function';
}

function ignored(): void {}
