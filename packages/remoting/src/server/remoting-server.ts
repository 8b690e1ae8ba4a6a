import { createServer, type Server } from 'node:net';
import { inFreshContext } from '../async-context.js';
import { AddressRange } from '../channel/address-range.js';
import type { Channel } from '../channel/channel.js';
import { readSocket } from '../channel/read-socket.js';
import { formatSocketAddress, parseSocketAddress } from '../channel/socket-address.js';
import { type ChannelSocket, SocketChannel, type SocketChannelOptions } from '../channel/socket-channel.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { ClosedError, RemotingError } from '../errors.js';
import { FrameBudget } from '../handler/frame-budget.js';
import { ProxyProtocolDecoder } from '../handler/proxy-protocol-decoder.js';
import { abortable, checkSignal, whenAborted } from '../rpc/abort.js';
import { AbstractRemoting, type CallKind } from '../rpc/abstract-remoting.js';
import { ChannelInitializer, channelOptions } from '../rpc/channel-initializer.js';
import { emitReloadTo, emitTo } from '../rpc/connection-event-map.js';
import { describeChannel, describeCore } from '../rpc/core-description.js';
import type { ServerInterceptor } from '../rpc/interceptor.js';
import { checkMillis } from '../rpc/option-table.js';
import { RemotingCore } from '../rpc/remoting-core.js';
import type { InvokeCallback, ResponseFuture } from '../rpc/response-future.js';
import type { InvokeOptions } from '../rpc/typed-call.js';
import { textOfGiven } from '../text-of-given.js';
import type { TlsServerOptions } from '../tls/tls-options.js';
import type { ServerDescription } from './server-description.js';
import {
  type RemotingServerOptions,
  type ResolvedRemotingServerOptions,
  resolveServerOptions,
} from './server-options.js';
import { ServerTls } from './server-tls.js';
import { formatUnixAddress, isSocketFile, removeStaleSocket } from './unix-socket.js';

/** How long a call to a client may take when it does not say. */
const DEFAULT_TIMEOUT_MILLIS = 3_000;

export interface CloseOptions {
  /** How long requests and calls under way may take to end; default 3,000. What is not done then is cut off. */
  readonly graceMillis?: number | undefined;
  /**
   * How long connections stand although nothing is under way, so that peers that know GO_AWAY hear of it by their next request and go by
   * themselves; default 0, for which a server without requests closes at once [shutdownWaitTimeSeconds, there 30]. It ends early when no
   * connection is left.
   */
  readonly goAwayMillis?: number | undefined;
  /** Ends these times when it aborts: what is not done then is cut off. Close does not reject for it. */
  readonly signal?: AbortSignal | undefined;
}

/** What is known of a connection that was made elsewhere. */
export interface AcceptOptions {
  /** `host:port` of the peer, where somebody has learned it already, such as from a proxy's header; none is looked for then. */
  readonly remoteAddress?: string | undefined;
  /** Become the channel's attributes. */
  readonly attributes?: Iterable<readonly [name: string, value: unknown]> | undefined;
}

export interface StartOptions {
  /** Ends the start with `ABORTED`, and the server: nothing listens then. Once the server listens it is not looked at any more. */
  readonly signal?: AbortSignal | undefined;
}

/** How a close went, in requests that took time: those answered by a promise, and those that waited in a queue. */
export interface ServerCloseReport {
  /** Requests under way when the close began, or begun during it, that ended. */
  readonly finished: number;
  /** Requests that had not ended in time; their signals are aborted, and nobody gets their answers. */
  readonly cut: number;
}

/**
 * Listens for requests and answers them by the processors registered for their codes (upstream: `NettyRemotingServer`).
 * Its calls go to a client, over a connection that the client made. Emits `connect`, `close`, `idle` and `exception` with the channel;
 * listeners must not block.
 */
export class RemotingServer extends AbstractRemoting<Channel> implements AsyncDisposable {
  readonly #options: ResolvedRemotingServerOptions;
  /** Who may send a PROXY protocol header; undefined when nobody. */
  readonly #proxies: AddressRange | undefined;
  readonly #channels = new Set<Channel>();
  readonly #tls: ServerTls | undefined;
  #tlsOptions: TlsServerOptions | undefined;
  readonly #server: Server;
  /** Bounds what the connections hold of frames that are not whole. */
  #budget: FrameBudget;
  #initializer: ChannelInitializer | undefined;
  readonly #channelOptions: SocketChannelOptions;
  /** The server that made this one for a further port. */
  #parent: RemotingServer | undefined;
  readonly #subServers = new Set<RemotingServer>();
  /** Settles when the server listens, or cannot. */
  #listening: Promise<void> | undefined;
  #address: string | undefined;
  #closing: Promise<ServerCloseReport> | undefined;
  /** Calls to clients that have not ended. */
  #callsInFlight = 0;
  #onCallsEnded: () => void = () => {};
  /** Ends the grace of a close under way. */
  #endGrace: () => void = () => {};

  constructor(options: RemotingServerOptions = {}) {
    const resolved = resolveServerOptions(options);
    super(new RemotingCore(resolved, false), DEFAULT_TIMEOUT_MILLIS);
    this.#options = resolved;
    const { proxyProtocolFrom } = resolved;
    this.#proxies = proxyProtocolFrom.length === 0 ? undefined : new AddressRange(proxyProtocolFrom);
    const { tls, clock, logger, maxBufferedBytes, maxFrameBytes, path, divert } = resolved;
    this.#server = createServer({ pauseOnConnect: true }, (socket) => {
      if (divert?.(socket) !== true) this.accept(readSocket(socket));
    });
    // A peer on a Unix socket has no address of its own.
    const remoteAddress = path === undefined ? undefined : formatUnixAddress(path);
    this.#channelOptions = { ...channelOptions(clock, logger), remoteAddress };
    this.#budget = new FrameBudget(Math.max(maxBufferedBytes, maxFrameBytes), clock);
    this.#tlsOptions = tls;
    this.#tls = tls === undefined ? undefined : new ServerTls(tls, clock, logger, emitReloadTo(this, logger));
  }

  /**
   * Begins to listen.
   *
   * @throws RemotingError `BIND_FAILED` when the address is taken, not ours, or not allowed; the system's error is the cause.
   * `INVALID_ARGUMENT` when TLS is enforced and its files cannot be used
   */
  start({ signal }: StartOptions = {}): Promise<void> {
    if (signal === undefined) return this.#startOnce();
    return abortable(signal, 'the start of the server', () => {
      const started = this.#startOnce();
      whenAborted(signal, started, () => void this.destroy());
      return started;
    });
  }

  #startOnce(): Promise<void> {
    if (this.#listening !== undefined || this.#closing !== undefined) {
      return Promise.reject(new RemotingError('INVALID_ARGUMENT', 'a server can be started once; make another one'));
    }
    this.#listening = inFreshContext(() => this.#start());
    return this.#listening;
  }

  /** `host:port` as bound, with the real port, or `unix:` and a path. Empty before {@link start}. */
  get address(): string {
    return this.#address ?? '';
  }

  /** The connections that stand. */
  get channels(): ReadonlySet<Channel> {
    return this.#channels;
  }

  /**
   * Makes a server on a further port, with this one's options and processors, hooks, permits and counters of its own (upstream 5.3.3;
   * reference: remoting 5.4). It is started and may be closed by itself; closing this server closes it too.
   *
   * @param at a port of this server's host, or another address; port 0 takes any that is free
   * @throws RemotingError `INVALID_ARGUMENT` when the port is another's of these servers, or this is such a server itself; `CLOSED` once this
   * server closes
   */
  newRemotingServer(at: number | { readonly host?: string | undefined; readonly port: number }): RemotingServer {
    const { host = this.#options.host, port } = typeof at === 'number' ? { port: at } : at;
    if (this.#parent !== undefined)
      throw new RemotingError('INVALID_ARGUMENT', 'a sub-server makes none of its own; ask its parent for another one');
    if (this.#closing !== undefined) throw new ClosedError('CLOSED', 'the server is closed');
    if (port !== 0 && [this, ...this.#subServers].some((server) => server.#port === port))
      throw new RemotingError('INVALID_ARGUMENT', `The port ${port} already in use by another RemotingServer`);
    const server = new RemotingServer({ ...this.#options, tls: this.#tlsOptions, path: undefined, host, port });
    server.#parent = this;
    server.#budget = this.#budget;
    this.#subServers.add(server);
    return server;
  }

  /** The port as bound, or else as asked for. */
  get #port(): number {
    if (this.#options.path !== undefined) return 0;
    return this.#address === undefined ? this.#options.port : parseSocketAddress(this.#address).port;
  }

  /**
   * Looks at the files of TLS now, instead of at the next look, and emits `tlsReload` with what came of it. With `options` these take the place
   * of the server's, for its sub-servers too; the mode stays. Certificates that cannot be used change nothing. Standing connections go on as
   * they are.
   *
   * @throws RemotingError `INVALID_ARGUMENT` where the server was made without TLS, or for options that cannot be
   */
  async reloadTls(options?: TlsServerOptions): Promise<void> {
    if (this.#tls === undefined)
      throw new RemotingError('INVALID_ARGUMENT', 'the server was made without the option tls');
    await this.#tls.reload(options);
    if (options !== undefined) this.#tlsOptions = { ...options, mode: this.#tlsOptions?.mode };
    await Promise.all([...this.#subServers].map((server) => server.reloadTls(options)));
  }

  /** Adds an interceptor: the first given is the outermost, and the hooks and the processor run inside all. */
  use(interceptor: ServerInterceptor): this {
    return this.interceptRequests(interceptor);
  }

  /** What the server is doing, as plain data. Costs more than a look at {@link counters}; not for every request. */
  describe(): ServerDescription {
    const state = this.#closing !== undefined ? 'closing' : this.#address === undefined ? 'new' : 'listening';
    const channels = [...this.#channels].map((channel) => describeChannel(channel, this.core));
    const subServers = [...this.#subServers].map((server) => server.describe());
    return { state, address: this.#address ?? null, channels, subServers, ...describeCore(this.core) };
  }

  /**
   * Stops listening, lets requests and calls under way end, then closes the connections. New requests of peers that know GO_AWAY (a version
   * above 475) are answered with it meanwhile and their oneway requests dropped, so that they go elsewhere; those of older peers are served
   * (reference: remoting 3.10). Never rejects, and is done soon after its time at the latest. Twice is as good as once.
   *
   * @throws RemotingError `INVALID_ARGUMENT` for times that cannot be, or what is no signal
   */
  close(options: CloseOptions = {}): Promise<ServerCloseReport> {
    const graceMillis = checkMillis('graceMillis', options.graceMillis ?? 3_000);
    const goAwayMillis = checkMillis('goAwayMillis', options.goAwayMillis ?? 0);
    const { signal } = options;
    checkSignal(signal);
    this.#closing ??= this.#closeAll(graceMillis, goAwayMillis);
    if (signal !== undefined) whenAborted(signal, this.#closing, () => void this.destroy());
    return this.#closing;
  }

  /** Ends everything at once; also after {@link close}. */
  async destroy(): Promise<void> {
    const closed = this.close({ graceMillis: 0 });
    this.#endGrace();
    for (const server of this.#subServers) void server.destroy();
    for (const channel of this.#channels) channel.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected override addressOf(channel: Channel | undefined): string | undefined {
    return channel?.remoteAddress;
  }

  protected override targetProblem(channel: { readonly writeAndFlush?: unknown } | undefined): string | undefined {
    if (typeof channel?.writeAndFlush === 'function') return undefined;
    return `a server calls over the channel of a client, as a handler or the connect event gives it, not ${textOfGiven(channel)}`;
  }

  protected override begin(
    channel: Channel,
    request: RemotingCommand,
    timeoutMillis: number,
    { signal }: InvokeOptions,
    { command, isOneway }: CallKind,
    callback: InvokeCallback,
  ): ResponseFuture {
    const { clock } = this.#options;
    const address = channel.remoteAddress;
    this.#callsInFlight++;
    const onSettled = this.#onSettled;
    return this.core.calls.begin(
      { clock, timeoutMillis, signal, address, request, command, isOneway, onSettled },
      callback,
    );
  }

  readonly #onSettled = (): void => {
    this.#callsInFlight--;
    if (this.#callsInFlight === 0) this.#onCallsEnded();
  };

  protected override dispatch(channel: Channel, future: ResponseFuture): void {
    this.core.calls.send(future, channel);
  }

  async #start(): Promise<void> {
    await this.#tls?.prepare();
    await this.#listen();
    if (this.#closing === undefined) this.#tls?.watch();
  }

  async #listen(): Promise<void> {
    const { path } = this.#options;
    try {
      await this.#bind();
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (path === undefined || !isTaken || !(await removeStaleSocket(path))) throw this.#bindFailed(error as Error);
      await this.#bind().catch((again) => {
        throw this.#bindFailed(again);
      });
    }
    const server = this.#server;
    server.on('error', (error) => this.#options.logger.error({ err: error }, 'accepting a connection failed'));
    const bound = server.address();
    if (typeof bound === 'string') this.#address = formatUnixAddress(bound);
    else if (bound !== null) this.#address = formatSocketAddress(bound.address, bound.port);
  }

  #bind(): Promise<void> {
    const { host, port, path, backlog } = this.#options;
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(path === undefined ? { host, port, backlog } : { path, backlog }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  }

  #bindFailed(error: NodeJS.ErrnoException): RemotingError {
    const { host, port, path } = this.#options;
    const address = path === undefined ? formatSocketAddress(host, port) : formatUnixAddress(path);
    const message = `cannot listen on ${address}: ${bindReason(error, path)}`;
    return new RemotingError('BIND_FAILED', message, { address, cause: error });
  }

  async #closeAll(graceMillis: number, goAwayMillis: number): Promise<ServerCloseReport> {
    const others = [...this.#subServers].map((server) => server.close({ graceMillis, goAwayMillis }));
    const reports = await Promise.all([this.#close(graceMillis, goAwayMillis), ...others]);
    if (this.#parent !== undefined) this.#parent.#subServers.delete(this);
    return {
      finished: reports.reduce((sum, { finished }) => sum + finished, 0),
      cut: reports.reduce((sum, { cut }) => sum + cut, 0),
    };
  }

  async #close(graceMillis: number, goAwayMillis: number): Promise<ServerCloseReport> {
    const { requests } = this.core;
    const underWay = requests.requestsInFlight - requests.requestsBegun;
    requests.goAway();
    this.#tls?.close();
    const ended = new Promise<void>((resolve) => {
      this.#endGrace = resolve;
    });
    const idle = graceMillis === 0 ? undefined : this.#within(graceMillis, ended, this.#idle());
    const gone = goAwayMillis === 0 ? undefined : this.#within(goAwayMillis, ended, this.#connectionsGone());
    // A server that is only about to listen can be stopped once it does.
    await this.#listening?.catch(() => {});
    const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await idle;
    await gone;
    const cut = requests.requestsInFlight;
    if (cut > 0) requests.cutOff();
    await Promise.all([...this.#channels].map((channel) => channel.close()));
    await stopped;
    return { finished: underWay + requests.requestsBegun - cut, cut };
  }

  async #idle(): Promise<void> {
    const { requests } = this.core;
    while (requests.requestsInFlight > 0 || this.#callsInFlight > 0) {
      await requests.whenIdle();
      if (this.#callsInFlight > 0) {
        await new Promise<void>((resolve) => {
          this.#onCallsEnded = resolve;
        });
      }
    }
  }

  async #connectionsGone(): Promise<void> {
    await Promise.all([...this.#channels].map((channel) => channel.closed));
  }

  async #within(millis: number, ended: Promise<void>, work: Promise<void>): Promise<void> {
    let expire = (): void => {};
    const expired = new Promise<void>((resolve) => {
      expire = resolve;
    });
    const timer = this.#options.clock.setTimeout(expire, millis);
    await Promise.race([work, ended, expired]);
    timer.cancel();
  }

  readonly #isLogged = (error: RemotingError): boolean => this.#tls?.logs(error) ?? false;

  /**
   * Serves a connection that was made elsewhere, as if it had come to the server's port: one in memory, the pipe of another process, a
   * socket that another process accepted. Needs no {@link start}. After {@link close} the socket is destroyed.
   */
  accept(socket: ChannelSocket, { remoteAddress, attributes = [] }: AcceptOptions = {}): void {
    if (this.#closing !== undefined) {
      socket.destroy();
      return;
    }
    const { maxConnections, logger } = this.#options;
    if (maxConnections > 0 && this.#channels.size >= maxConnections) {
      this.core.counterTable.refusedConnections++;
      const address = remoteAddress ?? socket.remoteAddress ?? '';
      logger.debug({ address }, `refusing ${address}: ${maxConnections} connections stand`);
      socket.destroy();
      return;
    }
    const options = remoteAddress === undefined ? this.#channelOptions : { ...this.#channelOptions, remoteAddress };
    const channel = new SocketChannel(socket, options);
    for (const [name, value] of attributes) channel.attributes.set(name, value);
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
    try {
      if (remoteAddress === undefined && this.#proxies?.includes(socket.remoteAddress ?? '') === true)
        channel.pipeline.addLast('proxyProtocol', new ProxyProtocolDecoder({ clock: this.#options.clock }));
      if (this.#tls !== undefined) channel.pipeline.addLast('tlsDetector', this.#tls.detector());
      // Made once everything it takes is there.
      this.#initializer ??= new ChannelInitializer(this.core, emitTo(this), this.#options, {
        isLogged: this.#isLogged,
        budget: this.#budget,
      });
      this.#initializer.initialize(channel);
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

function bindReason(error: NodeJS.ErrnoException, path: string | undefined): string {
  switch (error.code) {
    case 'EADDRINUSE':
      if (path !== undefined && !isSocketFile(path)) return 'a file that is no socket is there; move it away';
      return 'another process listens there already';
    case 'EACCES':
      // The platform says the same of a directory that is not there.
      return path === undefined
        ? 'this user may not listen there (ports below 1024 need a privilege)'
        : 'its directory does not exist, or this user may not write there';
    case 'EADDRNOTAVAIL':
      return 'no network interface of this machine has that address';
    default:
      return error.message;
  }
}
