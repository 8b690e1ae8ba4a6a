import { setMaxListeners } from 'node:events';
import { inFreshContext } from '../async-context.js';
import type { Channel } from '../channel/channel.js';
import { parseSocketAddress } from '../channel/socket-address.js';
import { SocketChannel } from '../channel/socket-channel.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { ClosedError, RemotingError } from '../errors.js';
import { AbstractRemoting, type CallKind } from '../rpc/abstract-remoting.js';
import { channelOptions, initializeChannel } from '../rpc/channel-initializer.js';
import { emitReloadTo, emitTo } from '../rpc/connection-event-map.js';
import { RemotingCore } from '../rpc/remoting-core.js';
import type { InvokeCallback, ResponseFuture } from '../rpc/response-future.js';
import type { InvokeOptions } from '../rpc/typed-call.js';
import { ChannelTable } from './channel-table.js';
import {
  type RemotingClientOptions,
  type ResolvedRemotingClientOptions,
  resolveClientOptions,
} from './client-options.js';
import { ClientTls } from './client-tls.js';
import { type DialSocket, dial } from './dial.js';
import { NameServerChannels } from './name-server-channels.js';
import { dialThrough } from './socks-dial.js';
import { SocksProxies } from './socks-proxies.js';
import { traceDial } from './trace-dial.js';

/**
 * Calls servers (upstream: `RemotingClient`, `NettyRemotingClient`). Connections are made by the first call to an address and shared by
 * all; nothing is dialled before. An address is `host:port` (IPv6 in brackets), or `undefined` for one of the list given to
 * {@link updateNameServerAddressList}.
 *
 * Every call ends once: with its answer, or with a RemotingError whose code is `CONNECT_FAILED`, `SEND_FAILED`, `CONNECTION_CLOSED`,
 * `TIMEOUT`, `ABORTED`, `CLOSED`, `TOO_MANY_REQUESTS`, `INVALID_ARGUMENT`, or what an RPC hook threw (`HANDLER_FAILED` unless it is a
 * RemotingError); typed calls also `COMMAND_FAILED`, `DECODE_FAILED` and `ENCODE_FAILED`. Its timeout is for dial, sending and answer
 * together. A call's promise may be dropped: a failure that nobody looks at is no crash. Emits `connect`, `close`, `idle` and `exception` with the channel.
 */
export class RemotingClient extends AbstractRemoting<string | undefined> implements AsyncDisposable {
  readonly #options: ResolvedRemotingClientOptions;
  readonly #table = new ChannelTable((address, opened) =>
    inFreshContext(() => traceDial(address, () => this.#createChannel(address, opened))),
  );
  readonly #nameServers: NameServerChannels;
  readonly #dial: DialSocket;
  readonly #tls: ClientTls | undefined;
  readonly #dialsAbort = new AbortController();
  /** Calls that have not ended. */
  readonly #pending = new Set<ResponseFuture>();
  #closing: Promise<void> | undefined;
  #destroyed = false;
  #onCallsEnded: (() => void) | undefined;

  /** @throws RemotingError `INVALID_ARGUMENT` naming every option that cannot be */
  constructor(options: RemotingClientOptions = {}) {
    const resolved = resolveClientOptions(options);
    super(new RemotingCore({ ...resolved, responseSerializeType: 'request' }), resolved.timeoutMillis);
    this.#options = resolved;
    const proxies = new SocksProxies(resolved.socksProxy);
    this.#dial = proxies.isEmpty ? dial : dialThrough(proxies, dial);
    this.#nameServers = new NameServerChannels(this.#table, this.#options.clock);
    const { tls, clock, logger } = resolved;
    this.#tls = tls === undefined ? undefined : new ClientTls(tls, clock, emitReloadTo(this, logger));
    setMaxListeners(0, this.#dialsAbort.signal);
  }

  /** The list for calls without an address; an empty one is ignored. */
  updateNameServerAddressList(addresses: readonly string[]): void {
    this.#nameServers.update(addresses);
  }

  get nameServerAddressList(): readonly string[] {
    return this.#nameServers.addresses;
  }

  /** The open connection to an address, if there is one; nothing is dialled. For whoever must know when it ends, or end it. */
  channel(address: string): Channel | undefined {
    return this.#table.active(address);
  }

  /** Refuses new calls, lets those under way end (each has its timeout), then closes the connections. Twice is as good as once. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the calls under way with `CLOSED`, and the connections, at once; also after {@link close}. */
  async destroy(): Promise<void> {
    this.#destroyed = true;
    const closed = this.close();
    for (const future of [...this.#pending])
      future.fail('CLOSED', `${future.command} was cut off: the client is closed`);
    this.#dialsAbort.abort();
    for (const channel of this.#table.channels()) channel.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onCallsEnded = resolve;
      });
    }
    this.#dialsAbort.abort();
    await Promise.allSettled(this.#table.dials());
    this.#tls?.close();
    await Promise.all(this.#table.channels().map((channel) => channel.close()));
  }

  protected override addressOf(address: string | undefined): string | undefined {
    return address;
  }

  protected override begin(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number,
    { signal }: InvokeOptions,
    { command, isOneway }: CallKind,
    callback: InvokeCallback,
  ): ResponseFuture | undefined {
    if (this.#closing !== undefined) {
      callback(closedError(address, undefined), undefined);
      return undefined;
    }
    const { clock } = this.#options;
    const future = this.core.calls.begin(
      { clock, timeoutMillis, signal, address, request, command, isOneway, onSettled: this.#onSettled },
      callback,
    );
    if (future.isSettled) return undefined;
    this.#pending.add(future);
    return future;
  }

  readonly #onSettled = (future: ResponseFuture, error: RemotingError | undefined): void => {
    this.#pending.delete(future);
    if (error !== undefined && future.channel !== undefined) this.#unanswered(future, future.channel, error);
    if (this.#pending.size === 0) this.#onCallsEnded?.();
  };

  /**
   * A connection that left a request unanswered may be half dead: the next call gets a fresh one, and where the address was ours to
   * choose, to the next name server.
   */
  #unanswered(
    { phase, isOneway, address, timeoutMillis }: ResponseFuture,
    channel: Channel,
    error: RemotingError,
  ): void {
    // One whose bytes still wait says nothing of the peer: `stalledWriteMillis` is for that.
    const isTimeout = error.code === 'TIMEOUT' && !isOneway && phase === 'wait';
    if (address === undefined && (isTimeout || error.code === 'CONNECTION_CLOSED')) this.#nameServers.failed(channel);
    if (!isTimeout || !this.#options.closeSocketIfTimeout) return;
    this.#table.remove(channel);
    this.#options.logger.warn(
      { address: channel.remoteAddress, opaque: error.opaque },
      `invokeSync: close socket because of timeout, ${timeoutMillis}ms, ${channel.remoteAddress}`,
    );
    channel.destroy(error);
  }

  protected override dispatch(address: string | undefined, future: ResponseFuture): void {
    if (future.isSettled) return;
    const channel = address === undefined ? this.#nameServers.active() : this.#table.active(address);
    if (channel !== undefined) {
      this.core.calls.send(future, channel);
      return;
    }
    future.waits();
    const dialled =
      address === undefined
        ? this.#nameServers.connect(future.timeoutMillis, () => !future.isSettled)
        : this.#table.getOrCreate(address);
    dialled.then(
      (opened) => this.core.calls.send(future, opened),
      (error: unknown) => future.failToConnect(error),
    );
  }

  async #createChannel(address: string, opened: (channel: Channel) => void): Promise<Channel> {
    try {
      return await this.#openChannel(address, opened);
    } catch (thrown) {
      if (RemotingError.is(thrown) && thrown.code === 'CONNECT_FAILED') this.core.counterTable.connectFailures++;
      throw thrown;
    }
  }

  async #openChannel(address: string, opened: (channel: Channel) => void): Promise<Channel> {
    const { connectTimeoutMillis, clock, logger } = this.#options;
    const target = parseSocketAddress(address);
    const endMillis = clock.monotonic() + connectTimeoutMillis;
    const { signal } = this.#dialsAbort;
    const tlsContext = this.#tls === undefined ? undefined : await this.#tls.context(address);
    const socket = await this.#dial(target, address, connectTimeoutMillis, clock, signal);
    const channel = new SocketChannel(socket, channelOptions(clock, logger));
    try {
      if (this.#destroyed) throw closedError(address, undefined);
      initializeChannel(channel, this.core, emitTo(this), this.#options);
    } catch (thrown) {
      const error = RemotingError.from(thrown, 'HANDLER_FAILED', 'initChannel failed', { address });
      channel.destroy(error);
      throw error;
    }
    if (this.#tls !== undefined && tlsContext !== undefined) {
      const leftMillis = Math.max(1, endMillis - clock.monotonic());
      const done = (): void => opened(channel);
      await this.#tls.handshake(channel, tlsContext, target.host, leftMillis, signal, done);
      return channel;
    }
    opened(channel);
    channel.start();
    return channel;
  }
}

function closedError(address: string | undefined, opaque: number | undefined): RemotingError {
  return new ClosedError('CLOSED', 'the client is closed', { address, opaque, sent: 'no' });
}
