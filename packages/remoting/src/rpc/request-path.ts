import { inThisContext } from '../async-context.js';
import type { Clock } from '../clock.js';
import { CommandFlag } from '../command/command-flag.js';
import type { LanguageName } from '../command/language-code.js';
import { RemotingCommand } from '../command/remoting-command.js';
import type { SerializeType } from '../command/serialize-type.js';
import { handleTracing } from '../diagnostics.js';
import { type CommandError, RemotingError, textOfThrown } from '../errors.js';
import type { Logger } from '../logger.js';
import type { ConnectionContext } from './connection-context.js';
import { intercept, type ServerInterceptor } from './interceptor.js';
import { type ProcessorEntry, ProcessorTable } from './processor-table.js';
import type { CounterTable } from './remoting-counters.js';
import { DeadlineContext, deadlineMillisOf } from './request-deadline.js';
import type { ProcessorResult } from './request-processor.js';
import type { RpcHook } from './rpc-hook.js';
import { LAST_VERSION_WITHOUT_GO_AWAY, SystemCode, SystemRemark } from './system-code.js';
import { traceRequest, traceRequestEnd, traceRequestError } from './trace-request.js';
import { WorkQueue, type WorkQueueOptions } from './work-queue.js';

export interface RequestPathOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** MQVersion ordinal stamped on answers that carry none. */
  readonly version: number;
  /** Language stamped on answers. */
  readonly language: LanguageName;
  /** Header format of answers: the request's, or one of our own. */
  readonly responseSerializeType: 'request' | SerializeType;
  /** Requests of one connection that wait or are worked on before no more is read from it. */
  readonly maxInFlightPerChannel: number;
  /** Whether deadlines that callers give are looked at. */
  readonly requestDeadlines: boolean;
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
  readonly #interceptors: ServerInterceptor[] = [];
  /** The connections that stand. */
  readonly connections = new Set<ConnectionContext>();
  #goingAway = false;
  #inFlight = 0;
  /** Requests that were in flight at any time. */
  #begun = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: RequestPathOptions, counters: CounterTable, hooks: readonly RpcHook[]) {
    this.#options = options;
    this.#counters = counters;
    this.#hooks = hooks;
  }

  get maxInFlightPerChannel(): number {
    return this.#options.maxInFlightPerChannel;
  }

  /** Requests that wait in a queue or whose processor has not ended yet. */
  get requestsInFlight(): number {
    return this.#inFlight;
  }

  /** Adds an interceptor inside those that are there. */
  use(interceptor: ServerInterceptor): void {
    this.#interceptors.push(interceptor);
  }

  /** A work queue of this path's clock, or the one that was given. */
  workQueue(queue: WorkQueue | WorkQueueOptions | undefined): WorkQueue | undefined {
    if (queue === undefined || queue instanceof WorkQueue) return queue;
    return new WorkQueue({ clock: this.#options.clock, ...queue });
  }

  /** From now on new requests of peers that know GO_AWAY are answered with it; those of older peers are served (reference: remoting 3.10). */
  goAway(): void {
    this.#goingAway = true;
  }

  /** Requests that have been in flight so far. */
  get requestsBegun(): number {
    return this.#begun;
  }

  /** Gives up what is in flight: what waits is dropped, and the signals of what runs abort. */
  cutOff(): void {
    for (const queue of this.processorTable.queues()) queue.drop(this);
    for (const connection of this.connections) connection.end();
  }

  /** Resolves as soon as no request waits or is worked on. */
  whenIdle(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  processRequest(connection: ConnectionContext, request: RemotingCommand): void {
    this.#counters.requestsIn++;
    if (request.isOneway) this.#counters.onewayIn++;
    this.#counters.requestCodes.add(request.code);
    const entry = this.processorTable.find(request.code);
    if (handleTracing.hasSubscribers)
      traceRequest(connection.channel, request, entry?.name, () => this.#process(connection, request, entry));
    else this.#process(connection, request, entry);
  }

  #process(connection: ConnectionContext, request: RemotingCommand, entry: ProcessorEntry | undefined): void {
    if (entry === undefined) {
      const remark = SystemRemark.notSupported(request.code);
      this.#answer(connection, request, RemotingCommand.response(SystemCode.REQUEST_CODE_NOT_SUPPORTED, remark));
      return;
    }
    if (this.#goingAway && request.version > LAST_VERSION_WITHOUT_GO_AWAY) {
      this.#counters.goAways++;
      this.#answer(connection, request, RemotingCommand.response(SystemCode.GO_AWAY, SystemRemark.GO_AWAY));
      return;
    }
    const deadlineMillis = this.#options.requestDeadlines ? deadlineMillisOf(request) : undefined;
    if (deadlineMillis !== undefined && deadlineMillis <= 0) {
      this.#counters.expired++;
      traceRequestEnd(request, 'cancelled', undefined, undefined);
      return;
    }
    const ctx =
      deadlineMillis === undefined ? connection : new DeadlineContext(connection, this.#options.clock, deadlineMillis);
    try {
      if (entry.processor.rejectRequest?.() === true) {
        this.#refuse(ctx, request, SystemRemark.REJECTED);
        return;
      }
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      return;
    }
    if (entry.queue === undefined || entry.queue.tryBegin()) this.#run(ctx, request, entry, false);
    else this.#enqueue(ctx, request, entry, entry.queue);
  }

  #enqueue(ctx: ServingContext, request: RemotingCommand, entry: ProcessorEntry, queue: WorkQueue): void {
    const run = (): void => {
      if (this.#isWanted(ctx, request)) this.#run(ctx, request, entry, true);
      else this.#drop(ctx, request, entry);
    };
    const accepted = queue.offer({
      owner: this,
      // Else it would run in the async context of the request that ends before it.
      run: inThisContext(run),
      expire: (queuedMillis, size) => {
        this.#refuse(ctx, request, SystemRemark.timeoutInQueue(queuedMillis, size));
        this.#ended(ctx, undefined, true);
      },
      drop: () => this.#drop(ctx, request, undefined),
    });
    if (accepted) this.#began(ctx);
    else this.#refuse(ctx, request, SystemRemark.OVERLOAD);
  }

  /** Whether a request that has waited is worth carrying out. A oneway request is, though its sender has gone. */
  #isWanted(ctx: ServingContext, request: RemotingCommand): boolean {
    if (ctx.remainingMillis() <= 0) {
      this.#counters.expired++;
      return false;
    }
    return request.isOneway || ctx.channel.isActive;
  }

  /** Ends a request that has waited and is not worth carrying out any more. */
  #drop(ctx: ServingContext, request: RemotingCommand, entry: ProcessorEntry | undefined): void {
    traceRequestEnd(request, 'cancelled', undefined, undefined);
    this.#ended(ctx, entry, true);
  }

  /** @param counted whether the request is counted among those in flight already */
  #run(ctx: ServingContext, request: RemotingCommand, entry: ProcessorEntry, counted: boolean): void {
    const isIntercepted = this.#interceptors.length > 0;
    let result: ProcessorResult | Promise<ProcessorResult>;
    let isLater = false;
    try {
      if (isIntercepted) {
        result = this.#intercept(ctx, request, entry);
      } else {
        for (const hook of this.#hooks) hook.doBeforeRequest?.(ctx.channel.remoteAddress, request);
        result = entry.processor.processRequest(ctx, request);
      }
      isLater = isPromiseLike(result);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      this.#ended(ctx, entry, counted);
      return;
    }
    if (isLater) {
      if (!counted) this.#began(ctx);
      void this.#finishLater(ctx, request, entry, result as Promise<ProcessorResult>, isIntercepted);
    } else {
      this.#finish(ctx, request, result as ProcessorResult);
      this.#ended(ctx, entry, counted);
    }
  }

  /** Through the interceptors; the hooks run within them. */
  #intercept(ctx: ServingContext, request: RemotingCommand, entry: ProcessorEntry): Promise<ProcessorResult> {
    const { code } = request;
    const command = { code, name: entry.name ?? String(code) };
    const { remoteAddress } = ctx.channel;
    return intercept(this.#interceptors, ctx, command, request, async () => {
      for (const hook of this.#hooks) hook.doBeforeRequest?.(remoteAddress, request);
      const response = await entry.processor.processRequest(ctx, request);
      for (const hook of this.#hooks) hook.doAfterResponse?.(remoteAddress, request, response);
      return response;
    });
  }

  async #finishLater(
    ctx: ServingContext,
    request: RemotingCommand,
    entry: ProcessorEntry,
    result: PromiseLike<ProcessorResult>,
    isIntercepted: boolean,
  ): Promise<void> {
    try {
      const response = await result;
      if (isIntercepted) this.#deliver(ctx, request, response);
      else this.#finish(ctx, request, response);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
    } finally {
      this.#ended(ctx, entry, true);
    }
  }

  #began({ connection }: ServingContext): void {
    this.#inFlight++;
    this.#begun++;
    connection.began();
  }

  /** @param entry `undefined` when the request did not get its place in the queue's concurrency */
  #ended(ctx: ServingContext, entry: ProcessorEntry | undefined, counted: boolean): void {
    if (ctx instanceof DeadlineContext) ctx.settle();
    if (counted) {
      ctx.connection.finished();
      this.#inFlight--;
      if (this.#inFlight === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
    entry?.queue?.end();
  }

  #finish(ctx: ServingContext, request: RemotingCommand, response: ProcessorResult): void {
    try {
      for (const hook of this.#hooks) hook.doAfterResponse?.(ctx.channel.remoteAddress, request, response);
    } catch (error) {
      this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      return;
    }
    this.#deliver(ctx, request, response);
  }

  #deliver(ctx: ServingContext, request: RemotingCommand, response: ProcessorResult): void {
    // Null too, for processors not written in TypeScript.
    if (response != null) {
      try {
        // For processors not written in TypeScript. What it returned is not shown: it goes to the caller.
        if (!(response instanceof RemotingCommand)) throw notCommand(response);
        this.#answer(ctx, request, response);
      } catch (error) {
        // A frozen one, for instance: it cannot be stamped.
        this.#answer(ctx, request, this.#errorResponse(error, ctx, request));
      }
    } else {
      traceRequestEnd(request, request.isOneway ? 'oneway' : 'unanswered', undefined, undefined);
    }
  }

  #refuse(ctx: ServingContext, request: RemotingCommand, remark: string): void {
    this.#counters.rejected++;
    this.#answer(ctx, request, RemotingCommand.response(SystemCode.SYSTEM_BUSY, remark));
  }

  /** Oneway requests are never answered, not even with errors; a channel that is gone takes no answer. */
  #answer(ctx: ServingContext, request: RemotingCommand, response: RemotingCommand): void {
    if (request.isOneway || !ctx.channel.isActive) {
      traceRequestEnd(request, request.isOneway ? 'oneway' : 'cancelled', undefined, undefined);
      return;
    }
    this.#stamp(response, request);
    ctx.connection.answering();
    this.#counters.responsesOut++;
    this.#counters.responseCodes.add(response.code);
    ctx.channel.writeAndFlush(response, (error) => {
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

  #notSent(ctx: ServingContext, request: RemotingCommand, error: RemotingError): void {
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

  #errorResponse(error: unknown, ctx: ServingContext, request: RemotingCommand): RemotingCommand {
    const known = RemotingError.is(error) ? error : undefined;
    // Not by instanceof: another installed copy of this package has a CommandError of its own.
    if (known?.code === 'COMMAND_FAILED') {
      const { responseCode, remark } = known as CommandError;
      return RemotingCommand.response(responseCode, remark);
    }
    this.#counters.systemErrors++;
    traceRequestError(request, error);
    const fields = this.#fields(error, ctx, request);
    // A processor that gives up because nobody waits has done right.
    const isAbort = error !== undefined && error === ctx.abortReason;
    if (isAbort || known?.code === 'DECODE_FAILED') this.#options.logger.debug(fields, 'the request was refused');
    else this.#options.logger.error(fields, 'the processor failed; its caller got SYSTEM_ERROR');
    // Not the stack: it names paths of this machine to whoever asks.
    const text = textOfThrown(error);
    const remark = known === undefined && error instanceof Error ? `${nameOf(error)}: ${text}` : text;
    return RemotingCommand.response(SystemCode.SYSTEM_ERROR, remark);
  }

  #fields(error: unknown, ctx: ServingContext, request: RemotingCommand): object {
    return { err: error, address: ctx.channel.remoteAddress, code: request.code, opaque: request.opaque };
  }
}

/** A request's context, and how it is told that the request is over. */
type ServingContext = ConnectionContext | DeadlineContext;

/** Also the promise of another library. */
function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | undefined)?.then === 'function';
}

/** An error's class, as far as it says; some names throw. */
function nameOf(error: Error): string {
  try {
    return `${error.name}`;
  } catch {
    return 'Error';
  }
}

function notCommand(given: unknown): TypeError {
  const what = typeof given === 'object' ? 'an object that is none' : `a ${typeof given}`;
  return new TypeError(
    `a processor must return a RemotingCommand, such as RemotingCommand.response(0), or a promise of one; not ${what}`,
  );
}

function ignored(): void {}
