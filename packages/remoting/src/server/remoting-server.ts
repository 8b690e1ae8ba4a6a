import { createServer, type Socket } from 'node:net';
import { EventEmitter } from 'eventemitter3';
import type { Channel } from '../channel/channel.js';
import { formatSocketAddress } from '../channel/socket-address.js';
import { SocketChannel } from '../channel/socket-channel.js';
import type { HeaderInput, HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import { channelOptions, initializeChannel } from '../rpc/channel-initializer.js';
import { type ConnectionEventMap, emitTo } from '../rpc/connection-event-map.js';
import { MAX_TIMER_MILLIS } from '../rpc/option-table.js';
import { RemotingCore, type RemotingCounters } from '../rpc/remoting-core.js';
import type { RequestProcessor } from '../rpc/request-processor.js';
import type { InvokeCallback, ResponseFuture } from '../rpc/response-future.js';
import type { RpcHook } from '../rpc/rpc-hook.js';
import { silenced } from '../rpc/silenced.js';
import {
  type CallOptions,
  type CallOptionsParameter,
  type CallResult,
  decodeResponse,
  encodeRequest,
  type InvokeOptions,
} from '../rpc/typed-call.js';
import { type TypedHandler, typedProcessor } from '../rpc/typed-processor.js';
import {
  type RemotingServerOptions,
  type ResolvedRemotingServerOptions,
  resolveServerOptions,
} from './server-options.js';

/** How long a call to a client may take when it does not say. */
const DEFAULT_TIMEOUT_MILLIS = 3_000;

export interface CloseOptions {
  /** How long requests under way may take to end; default 3,000. What is not done then is cut off. */
  readonly graceMillis?: number | undefined;
}

/**
 * Listens for requests and answers them by the processors registered for their codes (upstream: `NettyRemotingServer`).
 * Emits `connect`, `close`, `idle` and `exception` with the channel; listeners must not block.
 */
export class RemotingServer extends EventEmitter<ConnectionEventMap> implements AsyncDisposable {
  readonly #options: ResolvedRemotingServerOptions;
  readonly #core: RemotingCore;
  readonly #channels = new Set<Channel>();
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  /** Settles when the server listens, or cannot. */
  #listening: Promise<void> | undefined;
  #address: string | undefined;
  #closing: Promise<void> | undefined;
  /** Ends the grace of a close under way. */
  #endGrace: () => void = () => {};

  constructor(options: RemotingServerOptions = {}) {
    super();
    this.#options = resolveServerOptions(options);
    this.#core = new RemotingCore(this.#options);
  }

  /** One processor for one request code; a later one takes its place. */
  registerProcessor(code: number, processor: RequestProcessor): this {
    this.#core.requests.processorTable.register(code, processor);
    return this;
  }

  /** The processor of every code that has none of its own. Without it they are answered with code 3. */
  registerDefaultProcessor(processor: RequestProcessor): this {
    this.#core.requests.processorTable.registerDefault(processor);
    return this;
  }

  registerRpcHook(hook: RpcHook): this {
    this.#core.registerRpcHook(hook);
    return this;
  }

  /** Registers a typed handler for a command's definition. */
  handle<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    handler: TypedHandler<Request, Response, RequestBody, ResponseBody>,
  ): this {
    return this.registerProcessor(definition.code, typedProcessor(definition, handler));
  }

  /**
   * Begins to listen.
   *
   * @throws RemotingError `BIND_FAILED` when the address is taken, not ours, or not allowed; the system's error is the cause
   */
  start(): Promise<void> {
    if (this.#listening !== undefined || this.#closing !== undefined) {
      return Promise.reject(new RemotingError('INVALID_ARGUMENT', 'a server can be started once; make another one'));
    }
    this.#listening = this.#listen();
    return this.#listening;
  }

  /** `host:port` as bound, with the real port. Empty before {@link start}. */
  get address(): string {
    return this.#address ?? '';
  }

  /** The connections that stand. */
  get channels(): ReadonlySet<Channel> {
    return this.#channels;
  }

  get counters(): RemotingCounters {
    return this.#core.counters;
  }

  /** Calls a client over a connection that it made, and waits for its answer, whatever its code. */
  invokeSync(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis = DEFAULT_TIMEOUT_MILLIS,
    options: InvokeOptions = {},
  ): Promise<RemotingCommand> {
    return silenced(
      new Promise((resolve, reject) => {
        this.#invoke(channel, request, timeoutMillis, options, (error, response) => {
          if (response !== undefined) resolve(response);
          else reject(error);
        });
      }),
    );
  }

  /**
   * As {@link invokeSync}, but tells a callback, once, and takes one of the server's permits until the call has ended. Never throws:
   * `TOO_MANY_REQUESTS` goes to the callback too, and what the callback throws to the logger.
   */
  invokeAsync(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis: number,
    callback: InvokeCallback,
    options: InvokeOptions = {},
  ): void {
    this.#core.calls.async(channel.remoteAddress, callback, (permitted) => {
      this.#invoke(channel, request, timeoutMillis, options, permitted);
    });
  }

  /** Sends a client a request that it does not answer. Resolves when its bytes were handed to the operating system. */
  invokeOneway(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis = DEFAULT_TIMEOUT_MILLIS,
    options: InvokeOptions = {},
  ): Promise<void> {
    return silenced(
      new Promise((resolve, reject) => {
        const callback: InvokeCallback = (error) => (error === undefined ? resolve() : reject(error));
        const future = this.#begin(channel, timeoutMillis, options, callback);
        this.#core.calls.sendOneway(future, channel, request);
      }),
    );
  }

  /** A typed call to a client; see {@link RemotingClient.call}. */
  call<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    channel: Channel,
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    header: HeaderInput<Request>,
    ...[options]: CallOptionsParameter<RequestBody>
  ): Promise<CallResult<Response, ResponseBody>> {
    return silenced(this.#call(channel, definition, header, options));
  }

  /** A typed oneway request to a client. */
  oneway<Request extends HeaderSchema, RequestBody>(
    channel: Channel,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    ...[options]: CallOptionsParameter<RequestBody>
  ): Promise<void> {
    return silenced(this.#oneway(channel, definition, header, options));
  }

  /**
   * Stops listening, lets requests under way end, then closes the connections. Requests that still come in meanwhile are served. Twice is
   * as good as once.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(checkMillis('graceMillis', options.graceMillis ?? 3_000));
    return this.#closing;
  }

  /** Ends everything at once; also after {@link close}. */
  async destroy(): Promise<void> {
    const closed = this.close({ graceMillis: 0 });
    this.#endGrace();
    for (const channel of this.#channels) channel.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #call<Request extends HeaderSchema, Response extends HeaderSchema, RequestBody, ResponseBody>(
    channel: Channel,
    definition: CommandDefinition<Request, Response, RequestBody, ResponseBody>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> | undefined,
  ): Promise<CallResult<Response, ResponseBody>> {
    const request = encodeRequest(definition, header, options?.body);
    const response = await this.invokeSync(channel, request, options?.timeoutMillis, options);
    return decodeResponse(definition, response, channel.remoteAddress);
  }

  async #oneway<Request extends HeaderSchema, RequestBody>(
    channel: Channel,
    definition: CommandDefinition<Request, HeaderSchema, RequestBody, unknown>,
    header: HeaderInput<Request>,
    options: CallOptions<RequestBody> | undefined,
  ): Promise<void> {
    await this.invokeOneway(channel, encodeRequest(definition, header, options?.body), options?.timeoutMillis, options);
  }

  #invoke(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    callback: InvokeCallback,
  ): void {
    this.#core.calls.send(this.#begin(channel, timeoutMillis, options, callback), channel, request);
  }

  #begin(channel: Channel, timeoutMillis: number, { signal }: InvokeOptions, callback: InvokeCallback): ResponseFuture {
    const { clock } = this.#options;
    return this.#core.calls.begin({ clock, timeoutMillis, signal, address: channel.remoteAddress }, callback);
  }

  #listen(): Promise<void> {
    const { host, port, backlog } = this.#options;
    const server = this.#server;
    return new Promise((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException): void => {
        const address = formatSocketAddress(host, port);
        const message = `cannot listen on ${address}: ${bindReason(error)}`;
        reject(new RemotingError('BIND_FAILED', message, { address, cause: error }));
      };
      server.once('error', onError);
      server.listen({ host, port, backlog }, () => {
        server.removeListener('error', onError);
        server.on('error', (error) => this.#options.logger.error({ err: error }, 'accepting a connection failed'));
        const bound = server.address();
        if (bound !== null && typeof bound === 'object') this.#address = formatSocketAddress(bound.address, bound.port);
        resolve();
      });
    });
  }

  async #close(graceMillis: number): Promise<void> {
    const idle = graceMillis > 0 ? this.#processorsIdle(graceMillis) : Promise.resolve();
    // A server that is only about to listen can be stopped once it does.
    await this.#listening?.catch(() => {});
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await idle;
    await Promise.all([...this.#channels].map((channel) => channel.close()));
    await stopped;
  }

  async #processorsIdle(graceMillis: number): Promise<void> {
    const expired = new Promise<void>((resolve) => {
      this.#endGrace = resolve;
    });
    const timer = this.#options.clock.setTimeout(this.#endGrace, graceMillis);
    await Promise.race([this.#core.requests.whenIdle(), expired]);
    timer.cancel();
  }

  #accept(socket: Socket): void {
    if (this.#closing !== undefined) {
      socket.destroy();
      return;
    }
    const channel = new SocketChannel(socket, channelOptions(this.#options.clock, this.#options.logger));
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
    try {
      initializeChannel(channel, this.#core, emitTo(this), this.#options);
    } catch (thrown) {
      const error = RemotingError.from(thrown, 'HANDLER_FAILED', 'initChannel failed', {
        address: channel.remoteAddress,
      });
      this.#options.logger.error({ err: error, address: error.address }, `refusing ${error.address}: ${error.message}`);
      channel.destroy(error);
      return;
    }
    channel.start();
  }
}

function checkMillis(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= MAX_TIMER_MILLIS) return value;
  throw new RemotingError('INVALID_ARGUMENT', `${name} must be an integer from 0 to ${MAX_TIMER_MILLIS}, not ${value}`);
}

function bindReason(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'another process listens there already';
    case 'EACCES':
      return 'this user may not listen there (ports below 1024 need a privilege)';
    case 'EADDRNOTAVAIL':
      return 'no network interface of this machine has that address';
    default:
      return error.message;
  }
}
