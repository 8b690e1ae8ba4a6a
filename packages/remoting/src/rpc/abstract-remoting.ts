import { EventEmitter } from 'eventemitter3';
import { inThisContext } from '../async-context.js';
import type { Channel } from '../channel/channel.js';
import type { HeaderInput, HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { requestTracing } from '../diagnostics.js';
import type { ConnectionEventMap } from './connection-event-map.js';
import type { RemotingCore } from './remoting-core.js';
import type { RemotingCounters } from './remoting-counters.js';
import type { RequestProcessor } from './request-processor.js';
import type { InvokeCallback, ResponseFuture } from './response-future.js';
import type { RpcHook } from './rpc-hook.js';
import { silenced } from './silenced.js';
import { traceCall } from './trace-call.js';
import {
  type CallOptions,
  type CallOptionsParameter,
  type CallResult,
  decodeResponse,
  encodeRequest,
  type InvokeOptions,
} from './typed-call.js';
import { type TypedHandler, typedProcessor } from './typed-processor.js';

/**
 * What client and server share (upstream: `NettyRemotingAbstract`): the processors and hooks, and the calls in their three forms, raw and
 * typed. `Target` is what a call is addressed to. Every call ends once; a failure of a promise that was dropped is no crash.
 */
export abstract class AbstractRemoting<Target> extends EventEmitter<ConnectionEventMap> {
  protected readonly core: RemotingCore;
  readonly #timeoutMillis: number;

  /** @param timeoutMillis of calls that do not say */
  protected constructor(core: RemotingCore, timeoutMillis: number) {
    super();
    this.core = core;
    this.#timeoutMillis = timeoutMillis;
  }

  /** The address that errors of a call name. */
  protected abstract addressOf(target: Target): string | undefined;

  /** Begins a call; `undefined` when it has ended already, which the callback was told. */
  protected abstract begin(
    target: Target,
    timeoutMillis: number,
    options: InvokeOptions,
    callback: InvokeCallback,
  ): ResponseFuture | undefined;

  /** Sends a call that has begun, in the same turn when its connection stands. */
  protected abstract withChannel(target: Target, future: ResponseFuture, send: (channel: Channel) => void): void;

  /** One processor for requests of one code that the other side sends; a later one takes its place. */
  registerProcessor(code: number, processor: RequestProcessor): this {
    this.core.requests.processorTable.register(code, processor);
    return this;
  }

  /** The processor of every code that has none of its own. Without it they are answered with code 3. */
  registerDefaultProcessor(processor: RequestProcessor): this {
    this.core.requests.processorTable.registerDefault(processor);
    return this;
  }

  /** Registers a typed handler for a command that the other side sends. */
  handle<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    handler: TypedHandler<Request, Response, RequestBody, ResponseBody>,
  ): this {
    return this.registerProcessor(definition.code, typedProcessor(definition, handler));
  }

  registerRpcHook(hook: RpcHook): this {
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
    options: InvokeOptions = {},
  ): Promise<RemotingCommand> {
    return this.#invokeSync(target, request, timeoutMillis, options, undefined);
  }

  /**
   * As {@link invokeSync}, but tells a callback, once and never before this returns, in the async context of here, and takes one of the
   * permits until the call has ended. Never throws: `TOO_MANY_REQUESTS` goes to the callback too, and what the callback throws to the logger.
   */
  invokeAsync(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    callback: InvokeCallback,
    options: InvokeOptions = {},
  ): void {
    this.core.calls.async(this.addressOf(target), inThisContext(callback), (permitted) => {
      this.#invoke(target, request, timeoutMillis, options, permitted, undefined);
    });
  }

  /** Sends a request that nobody answers. Resolves when its bytes were handed to the operating system; says nothing of their arrival. */
  invokeOneway(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number = this.#timeoutMillis,
    options: InvokeOptions = {},
  ): Promise<void> {
    return this.#invokeOneway(target, request, timeoutMillis, options, undefined);
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
    return silenced(this.#call(target, definition, header, options));
  }

  /** A typed oneway request. */
  oneway<Request extends HeaderSchema, RequestBody>(
    target: Target,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    ...[options]: CallOptionsParameter<RequestBody>
  ): Promise<void> {
    return silenced(this.#oneway(target, definition, header, options));
  }

  async #call<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    target: Target,
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> | undefined,
  ): Promise<CallResult<Response, ResponseBody>> {
    const request = encodeRequest(definition, header, options?.body, options?.extFields);
    const response = await this.#invokeSync(
      target,
      request,
      options?.timeoutMillis ?? this.#timeoutMillis,
      options ?? {},
      definition.name,
    );
    return decodeResponse(definition, response, this.addressOf(target));
  }

  async #oneway<Request extends HeaderSchema, RequestBody>(
    target: Target,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> | undefined,
  ): Promise<void> {
    const request = encodeRequest(definition, header, options?.body, options?.extFields);
    await this.#invokeOneway(
      target,
      request,
      options?.timeoutMillis ?? this.#timeoutMillis,
      options ?? {},
      definition.name,
    );
  }

  #invokeSync(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    name: string | undefined,
  ): Promise<RemotingCommand> {
    return silenced(
      new Promise((resolve, reject) => {
        const callback: InvokeCallback = (error, response) => {
          if (response !== undefined) resolve(response);
          else reject(error);
        };
        this.#invoke(target, request, timeoutMillis, options, callback, name);
      }),
    );
  }

  #invokeOneway(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    name: string | undefined,
  ): Promise<void> {
    return silenced(
      new Promise((resolve, reject) => {
        const callback: InvokeCallback = (error) => (error === undefined ? resolve() : reject(error));
        this.#invoke(target, request, timeoutMillis, options, callback, name, true);
      }),
    );
  }

  #invoke(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    callback: InvokeCallback,
    name: string | undefined,
    isOneway = false,
  ): void {
    if (!requestTracing.hasSubscribers) {
      this.#send(target, request, timeoutMillis, options, callback, isOneway);
      return;
    }
    const description = { name, isOneway, timeoutMillis, address: this.addressOf(target) };
    traceCall(description, request, callback, (traced, ended, begun) =>
      this.#send(target, traced, timeoutMillis, options, ended, isOneway, begun),
    );
  }

  #send(
    target: Target,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    callback: InvokeCallback,
    isOneway: boolean,
    begun?: (future: ResponseFuture) => void,
  ): void {
    const future = this.begin(target, timeoutMillis, options, callback);
    if (future === undefined) return;
    begun?.(future);
    this.withChannel(target, future, (channel) => {
      if (isOneway) this.core.calls.sendOneway(future, channel, request);
      else this.core.calls.send(future, channel, request);
    });
  }
}
