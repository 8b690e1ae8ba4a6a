import { createServer, type Socket } from 'node:net';
import { EventEmitter } from 'eventemitter3';
import type { Channel } from '../channel/channel.js';
import { formatSocketAddress } from '../channel/socket-address.js';
import { SocketChannel } from '../channel/socket-channel.js';
import type { HeaderSchema } from '../command/custom-header.js';
import type { CommandDefinition } from '../command/define-command.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import { channelOptions, initializeChannel } from '../rpc/channel-initializer.js';
import { type ConnectionEventMap, emitTo } from '../rpc/connection-event-map.js';
import { RemotingCore, type RemotingCounters } from '../rpc/remoting-core.js';
import type { RequestProcessor } from '../rpc/request-processor.js';
import type { RpcHook } from '../rpc/rpc-hook.js';
import { type TypedHandler, typedProcessor } from '../rpc/typed-processor.js';
import {
  type RemotingServerOptions,
  type ResolvedRemotingServerOptions,
  resolveServerOptions,
} from './server-options.js';

export interface CloseOptions {
  /** How long requests under way may take to end; default 3,000. What is not done then is cut off. */
  readonly graceMillis?: number;
}

/**
 * Listens for requests and answers them by the processors registered for their codes (upstream: `NettyRemotingServer`).
 * Emits `connect`, `close`, `idle` and `exception` with the channel; listeners must not block.
 */
export class RemotingServer extends EventEmitter<ConnectionEventMap> implements AsyncDisposable {
  readonly #options: ResolvedRemotingServerOptions;
  readonly #core: RemotingCore;
  readonly #channels = new Set<Channel>();
  readonly #server = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket));
  /** Settles when the server listens, or cannot. */
  #listening: Promise<void> | undefined;
  #address: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: RemotingServerOptions = {}) {
    super();
    this.#options = resolveServerOptions(options);
    this.#core = new RemotingCore(this.#options);
  }

  /** One processor for one request code; a later one takes its place. */
  registerProcessor(code: number, processor: RequestProcessor): this {
    this.#core.processorTable.register(code, processor);
    return this;
  }

  /** The processor of every code that has none of its own. Without it they are answered with code 3. */
  registerDefaultProcessor(processor: RequestProcessor): this {
    this.#core.processorTable.registerDefault(processor);
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
      return Promise.reject(new RemotingError('INVALID_ARGUMENT', 'a server can be started once'));
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

  get counters(): Readonly<RemotingCounters> {
    return this.#core.counters;
  }

  /** Calls a client over a connection it made, and waits for its answer. Hooks do not see it twice. */
  invokeSync(channel: Channel, request: RemotingCommand, timeoutMillis: number): Promise<RemotingCommand> {
    return new Promise((resolve, reject) => {
      this.#core.invoke(
        channel,
        request,
        timeoutMillis,
        () => {},
        (error, response) => (response === undefined ? reject(error) : resolve(response)),
      );
    });
  }

  /** Sends a client a request that it does not answer. */
  invokeOneway(channel: Channel, request: RemotingCommand): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#core.invokeOneway(channel, request, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Stops listening, lets requests under way end, then closes the connections. Twice is as good as once. */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options.graceMillis ?? 3_000);
    return this.#closing;
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    const closed = this.close({ graceMillis: 0 });
    for (const channel of this.#channels) channel.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
    let expire = (): void => {};
    const expired = new Promise<void>((resolve) => (expire = resolve));
    const timer = this.#options.clock.setTimeout(expire, graceMillis);
    await Promise.race([this.#core.whenProcessorsIdle(), expired]);
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
