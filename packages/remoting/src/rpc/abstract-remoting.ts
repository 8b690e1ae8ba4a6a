import { EventEmitter } from 'eventemitter3';
import { inThisContext } from '../async-context.js';
import type { HeaderInput, HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { requestTracing } from '../diagnostics.js';
import { RemotingError } from '../errors.js';
import { AsyncCallback } from './async-callback.js';
import { argumentProblem } from './call-arguments.js';
import { type ClientInterceptor, interceptCall } from './call-interceptor.js';
import { CallPromise } from './call-promise.js';
import { signalWithin, timeoutWithin } from './call-within.js';
import type { ConnectionEventMap } from './connection-event-map.js';
import { checkCode, checkDefinition, checkFunction, checkHook, checkProcessor, encodeWholeRequest } from './given.js';
import type { ServerInterceptor } from './interceptor.js';
import type { Permits } from './permits.js';
import type { RemotingCore } from './remoting-core.js';
import type { RemotingCounters } from './remoting-counters.js';
import type { RequestProcessor } from './request-processor.js';
import type { InvokeCallback, ResponseFuture } from './response-future.js';
import type { RpcHook } from './rpc-hook.js';
import { traceCall } from './trace-call.js';
import { type CallOptionsParameter, type CallResult, decodeResponse, type InvokeOptions } from './typed-call.js';
import { type TypedHandler, typedProcessor } from './typed-processor.js';
import type { WorkQueue, WorkQueueOptions } from './work-queue.js';

/** What people call the command, if it has a name, and whether it is oneway. */
export interface CallKind {
  readonly command: string | undefined;
  readonly isOneway: boolean;
  /** One sending of a call that interceptors may send again. */
  readonly isInner?: boolean | undefined;
}

const plainCall: CallKind = { command: undefined, isOneway: false };
const onewayCall: CallKind = { command: undefined, isOneway: true };
const noOptions: InvokeOptions = {};

/**
 * What client and server share (upstream: `NettyRemotingAbstract`): the processors and hooks, and the calls in their three forms, raw and
 * typed. `Target` is what a call is addressed to. Every call ends once; a failure of a promise that was dropped is no crash.
 */
export abstract class AbstractRemoting<Target> extends EventEmitter<ConnectionEventMap> {
  protected readonly core: RemotingCore;
  /** Those of calls; none where there are none. */
  protected interceptors: ClientInterceptor[] | undefined;
  readonly #timeoutMillis: number;

  /** @param timeoutMillis of calls that do not say */
  protected constructor(core: RemotingCore, timeoutMillis: number) {
    super();
    this.core = core;
    this.#timeoutMillis = timeoutMillis;
  }

  /** The address that errors of a call name. */
  protected abstract addressOf(target: Target): string | undefined;

  /** What is wrong with a target whose type is none for calls, for callers not written in TypeScript. */
  protected abstract targetProblem(target: unknown): string | undefined;

  /** Begins a call; `undefined` when it has ended already, which the callback was told. */
  protected abstract begin(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    kind: CallKind,
    callback: InvokeCallback,
  ): ResponseFuture | undefined;

  /** Sends a call that has begun, in the same turn when its connection stands. */
  protected abstract dispatch(target: Target, future: ResponseFuture): void;

  /**
   * One processor for requests of one code that the other side sends; a later one takes its place. Given a {@link WorkQueue}, or the bounds of
   * one, no more requests than its `concurrency` are worked on at a time, `queueCapacity` wait, and those above are answered with SYSTEM_BUSY
   * (oneway ones dropped). Codes that are given the same queue share its bounds.
   *
   * @throws RemotingError `INVALID_ARGUMENT` for bounds that cannot be, or what is no processor
   */
  registerProcessor(code: number, processor: RequestProcessor, queue?: WorkQueue | WorkQueueOptions): this {
    const { requests } = this.core;
    checkCode(code);
    checkProcessor(processor);
    requests.processorTable.register(code, processor, requests.workQueue(queue));
    return this;
  }

  /** The processor of every code that has none of its own. Without it they are answered with code 3. */
  registerDefaultProcessor(processor: RequestProcessor, queue?: WorkQueue | WorkQueueOptions): this {
    const { requests } = this.core;
    checkProcessor(processor);
    requests.processorTable.registerDefault(processor, requests.workQueue(queue));
    return this;
  }

  /** Registers a typed handler for a command that the other side sends. */
  handle<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    handler: TypedHandler<Request, Response, RequestBody, ResponseBody>,
    queue?: WorkQueue | WorkQueueOptions,
  ): this {
    const { requests } = this.core;
    checkDefinition(definition);
    checkFunction('a handler', handler);
    const { code, name } = definition;
    requests.processorTable.register(code, typedProcessor(definition, handler), requests.workQueue(queue), name);
    return this;
  }

  /** The work queue that serves a code, if one does: to see how long it is, and how old. */
  workQueue(code: number): WorkQueue | undefined {
    return this.core.requests.processorTable.find(code)?.queue;
  }

  /** Adds an interceptor of requests that the other side sends, inside those that are there; it runs around hooks and processor. */
  interceptRequests(interceptor: ServerInterceptor): this {
    checkFunction('an interceptor', interceptor);
    this.core.requests.use(interceptor);
    return this;
  }

  registerRpcHook(hook: RpcHook): this {
    checkHook(hook);
    this.core.registerRpcHook(hook);
    return this;
  }

  /** The counts of this moment, as a copy. */
  get counters(): RemotingCounters {
    return this.core.counters;
  }

  /** Sends a request and waits for its answer, whatever its code. */
  invokeSync(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number = this.#timeoutMillis,
    options: InvokeOptions = noOptions,
  ): Promise<RemotingCommand> {
    const call = new CallPromise<RemotingCommand>();
    const callback: InvokeCallback = (error, response) => {
      if (response === undefined) call.reject(error);
      else call.resolve(response);
    };
    this.#invoke(target, request, timeoutMillis, options, plainCall, this.core.calls.syncPermits, callback);
    return call.promise;
  }

  /**
   * As {@link invokeSync}, but tells a callback, once and never before this returns, in the async context of this call; and takes one of the
   * permits until the callback has ended. `TOO_MANY_REQUESTS` goes to the callback too, and what the callback throws to the logger; thrown is only
   * `INVALID_ARGUMENT`, for what is no callback.
   */
  invokeAsync(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    callback: InvokeCallback,
    options: InvokeOptions = noOptions,
  ): void {
    checkFunction('the callback of invokeAsync', callback);
    const told = new AsyncCallback(inThisContext(callback), this.addressOf(target), this.core.logger);
    this.#invoke(target, request, timeoutMillis, options, plainCall, this.core.calls.asyncPermits, told.tell);
    told.returned();
  }

  /** Sends a request that nobody answers. Resolves when its bytes were handed to the operating system; says nothing of their arrival. */
  invokeOneway(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number = this.#timeoutMillis,
    options: InvokeOptions = noOptions,
  ): Promise<void> {
    const call = new CallPromise<void>();
    this.#oneway(target, request, timeoutMillis, options, onewayCall, call);
    return call.promise;
  }

  /**
   * A typed call: header and body by the command's definition, both ways.
   *
   * @throws CommandError when the answer's code is not SUCCESS; DecodeError when it is not what the definition says; `ENCODE_FAILED`
   * when the header is not; else as every call
   */
  call<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    target: Target,
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    header: HeaderInput<Request>,
    ...[options]: CallOptionsParameter<RequestBody>
  ): Promise<CallResult<Response, ResponseBody>> {
    const call = new CallPromise<CallResult<Response, ResponseBody>>();
    const callback: InvokeCallback = (error, response) => {
      if (response === undefined) {
        call.reject(error);
        return;
      }
      try {
        call.resolve(decodeResponse(definition, response, this.addressOf(target)));
      } catch (thrown) {
        call.reject(thrown);
      }
    };
    let request: RemotingCommand;
    try {
      request = encodeWholeRequest(definition, header, options?.body, options?.extFields);
    } catch (thrown) {
      call.reject(notSent(thrown));
      return call.promise;
    }
    const timeoutMillis = options?.timeoutMillis ?? this.#timeoutMillis;
    const kind = { command: definition.name, isOneway: false };
    this.#invoke(target, request, timeoutMillis, options ?? noOptions, kind, this.core.calls.syncPermits, callback);
    return call.promise;
  }

  /** A typed oneway request. */
  oneway<Request extends HeaderSchema, RequestBody>(
    target: Target,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    ...[options]: CallOptionsParameter<RequestBody>
  ): Promise<void> {
    const call = new CallPromise<void>();
    const timeoutMillis = options?.timeoutMillis ?? this.#timeoutMillis;
    try {
      const request = encodeWholeRequest(definition, header, options?.body, options?.extFields);
      const kind = { command: definition.name, isOneway: true };
      this.#oneway(target, request, timeoutMillis, options ?? noOptions, kind, call);
    } catch (thrown) {
      call.reject(notSent(thrown));
    }
    return call.promise;
  }

  #oneway(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    kind: CallKind,
    call: CallPromise<void>,
  ): void {
    const callback: InvokeCallback = (error) => {
      if (error === undefined) call.resolve();
      else call.reject(error);
    };
    this.#invoke(target, request, timeoutMillis, options, kind, undefined, callback);
  }

  #invoke(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    kind: CallKind,
    permits: Permits | undefined,
    callback: InvokeCallback,
  ): void {
    const problem = argumentProblem(request, timeoutMillis, options) ?? this.targetProblem(target);
    if (problem !== undefined) {
      callback(
        new RemotingError('INVALID_ARGUMENT', problem, { address: this.addressOf(target), sent: 'no' }),
        undefined,
      );
      return;
    }
    const { within } = options;
    if (within !== undefined) {
      const [bounded, ended] = signalWithin(within, { ...options, within: undefined }, callback);
      this.#invoke(target, request, timeoutWithin(within, timeoutMillis), bounded, kind, permits, ended);
      return;
    }
    this.core.debugNames?.called(request.code, kind.command);
    if (!requestTracing.hasSubscribers) {
      this.#start(target, request, timeoutMillis, options, kind, permits, callback);
      return;
    }
    const { command: name, isOneway } = kind;
    const description = { name, isOneway, timeoutMillis, address: this.addressOf(target) };
    traceCall(description, request, callback, (traced, ended, begun) =>
      this.#start(target, traced, timeoutMillis, options, kind, permits, ended, begun),
    );
  }

  #start(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    kind: CallKind,
    permits: Permits | undefined,
    callback: InvokeCallback,
    begun?: (future: ResponseFuture) => void,
  ): void {
    const future = this.begin(target, request, timeoutMillis, options, kind, callback);
    if (future === undefined) return;
    begun?.(future);
    if (this.interceptors !== undefined && kind.isInner !== true)
      this.#intercept(this.interceptors, target, future, options, kind, permits, begun);
    else if (permits === undefined) this.dispatch(target, future);
    else future.acquire(permits, this.core.calls.waitsForPermit, (ready) => this.dispatch(target, ready));
  }

  #intercept(
    interceptors: readonly ClientInterceptor[],
    target: Target,
    outer: ResponseFuture,
    options: InvokeOptions,
    kind: CallKind,
    permits: Permits | undefined,
    begun: ((future: ResponseFuture) => void) | undefined,
  ): void {
    outer.waits();
    const inner = { ...kind, command: outer.command, isInner: true };
    interceptCall(interceptors, outer, options.signal, (request) => {
      const sending = new CallPromise<RemotingCommand | undefined>();
      const ended: InvokeCallback = (error, response) => {
        if (error?.sent !== 'no') outer.wasSent = true;
        if (error === undefined) sending.resolve(response);
        else sending.reject(error);
      };
      // Its deadline is the call's, but for what is below a millisecond: the call then ends both.
      const timeoutMillis = Math.max(1, outer.remainingMillis);
      this.#start(target, request, timeoutMillis, options, inner, permits, ended, (future) => {
        outer.inner = future;
        // Who traces the call sees its last sending.
        begun?.(future);
      });
      return sending.promise;
    });
  }
}

/** A request that could not be made was not sent either. */
function notSent(thrown: unknown): unknown {
  return RemotingError.is(thrown) && !Object.isFrozen(thrown) ? Object.assign(thrown, { sent: 'no' }) : thrown;
}
