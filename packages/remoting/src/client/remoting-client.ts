import { inFreshContext } from '../async-context.js';
import type { Channel } from '../channel/channel.js';
import type { Timer } from '../clock.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { ClosedError, RemotingError } from '../errors.js';
import type { ConnectionListener } from '../handler/connection-events.js';
import { abortable, checkSignal, whenAborted } from '../rpc/abort.js';
import { AbstractRemoting, type CallKind } from '../rpc/abstract-remoting.js';
import { ActiveCalls } from '../rpc/active-calls.js';
import { argumentProblem } from '../rpc/call-arguments.js';
import type { ClientInterceptor } from '../rpc/call-interceptor.js';
import { CallPromise } from '../rpc/call-promise.js';
import { emitReloadTo, emitTo } from '../rpc/connection-event-map.js';
import { checkFunction } from '../rpc/given.js';
import { checkMillis } from '../rpc/option-table.js';
import { RemotingCore } from '../rpc/remoting-core.js';
import type { InvokeCallback, ResponseFuture } from '../rpc/response-future.js';
import type { InvokeOptions } from '../rpc/typed-call.js';
import { isStillAt } from './address-watch.js';
import { ChannelOpener } from './channel-opener.js';
import { ChannelTable } from './channel-table.js';
import { type ClientDescription, describeClient } from './client-description.js';
import {
  type RemotingClientOptions,
  type ResolvedRemotingClientOptions,
  resolveClientOptions,
} from './client-options.js';
import { ClientTls } from './client-tls.js';
import type { ClientCloseOptions, CloseReport } from './close-report.js';
import { CoalescedTask } from './coalesced-task.js';
import type { ConnectOptions, RefreshOptions } from './connect-options.js';
import { connectWhenReady } from './connect-when-ready.js';
import { ConnectionLog } from './connection-log.js';
import { ConnectionVerifier } from './connection-verifier.js';
import { addressProblem } from './dial-target.js';
import { DrainingChannels } from './draining-channels.js';
import { EagerReconnect } from './eager-reconnect.js';
import { NameServerChannels } from './name-server-channels.js';
import { SocksProxies } from './socks-proxies.js';
import { traceDial } from './trace-dial.js';

const connecting: CallKind = { command: 'connect', isOneway: false };
/** What a call that only connects has for a request; it is never sent. */
const nothing = RemotingCommand.request(0);

/**
 * Calls servers (upstream: `RemotingClient`, `NettyRemotingClient`). Connections are made by the first call to an address and shared by
 * all; nothing is dialled before. An address is `host:port` (IPv6 in brackets), `unix:/path/of/socket`, or `undefined` for one of the list
 * given to {@link updateNameServerAddressList}.
 *
 * Every call ends once: with its answer, or with a RemotingError whose code is `CONNECT_FAILED`, `SEND_FAILED`, `CONNECTION_CLOSED`,
 * `TIMEOUT`, `ABORTED`, `CLOSED`, `TOO_MANY_REQUESTS`, `INVALID_ARGUMENT`, or what an RPC hook threw (`HANDLER_FAILED` unless it is a
 * RemotingError); typed calls also `COMMAND_FAILED`, `DECODE_FAILED` and `ENCODE_FAILED`. Its timeout is for dial, sending and answer
 * together. A call's promise may be dropped: a failure that nobody looks at is no crash. Emits `connect`, `close`, `idle` and `exception` with the
 * channel, and `connectFailed` with an address.
 *
 * An address whose dials fail is left alone for growing times; calls fail at once then, unless they have `waitForReady`. A server that
 * says GO_AWAY (1500) gets a new connection, over which the request is sent again.
 */
export class RemotingClient extends AbstractRemoting<string | undefined> implements AsyncDisposable {
  readonly #options: ResolvedRemotingClientOptions;
  readonly #table: ChannelTable;
  readonly #draining: DrainingChannels;
  readonly #eager: EagerReconnect | undefined;
  readonly #nameServers: NameServerChannels;
  readonly #verifier: ConnectionVerifier | undefined;
  readonly #opener: ChannelOpener;
  readonly #tls: ClientTls | undefined;
  readonly #log: ConnectionLog;
  /** Connections whose end this side wanted. */
  readonly #givenUp = new WeakSet<Channel>();
  /** Calls that have not ended. */
  readonly #pending = new ActiveCalls();
  readonly #refresh = new CoalescedTask();
  readonly #timers: Timer[] = [];
  #scanTimer: Timer | undefined;
  #closing: Promise<CloseReport> | undefined;
  #cut = 0;
  #onCallsEnded: (() => void) | undefined;

  /** @throws RemotingError `INVALID_ARGUMENT` naming every option that cannot be */
  constructor(options: RemotingClientOptions = {}) {
    const resolved = resolveClientOptions(options);
    super(new RemotingCore({ ...resolved, responseSerializeType: 'request' }), resolved.timeoutMillis);
    this.#options = resolved;
    const { clock } = resolved;
    const backoff = {
      initialMillis: resolved.reconnectInitialMillis,
      maxMillis: resolved.reconnectMaxMillis,
      multiplier: resolved.reconnectMultiplier,
      jitter: resolved.reconnectJitter,
    };
    this.#table = new ChannelTable(
      (address, opened) =>
        inFreshContext(() =>
          traceDial(address, () =>
            this.#opener.open(address, (channel) => {
              opened(channel);
              if (this.#eager !== undefined) this.#watchLoss(address, channel);
            }),
          ),
        ),
      { ...backoff, clock, onFailed: (failure) => this.emit('connectFailed', failure) },
    );
    const proxies = new SocksProxies(resolved.socksProxy);
    this.#nameServers = new NameServerChannels(this.#table, clock);
    this.#draining = new DrainingChannels((channel) => this.core.calls.responseTable.waitingOn(channel));
    this.#eager = resolved.eager ? new EagerReconnect(this.#table, clock, backoff) : undefined;
    const { tls, logger } = resolved;
    this.#log = new ConnectionLog(logger);
    this.#tls = tls === undefined ? undefined : new ClientTls(tls, clock, emitReloadTo(this, logger));
    if (resolved.heartbeatMillis > 0 || resolved.verifyIdleMillis > 0)
      this.#verifier = new ConnectionVerifier(this.core.calls, resolved);
    this.core.calls.onGoAway = (future, channel) => this.#goAway(future, channel);
    if (resolved.resolveIntervalMillis > 0 && proxies.isEmpty)
      this.#timers.push(clock.setInterval(() => this.#retireMoved(), resolved.resolveIntervalMillis, true));
    this.#opener = new ChannelOpener(this.core, resolved, proxies, this.#tls, this.#verifier, this.#listener);
  }

  /**
   * The list for calls without an address; an empty one is ignored. Connections to addresses that are not on it any more are closed as soon as
   * the calls over them have ended.
   */
  updateNameServerAddressList(addresses: readonly string[]): void {
    // For callers not written in TypeScript: a text would be a list of its letters.
    if (!Array.isArray(addresses) || !addresses.every((address) => typeof address === 'string'))
      throw new RemotingError(
        'INVALID_ARGUMENT',
        'a name server list must be an array of addresses, which are strings',
      );
    if (this.#closing !== undefined) return;
    for (const address of this.#nameServers.update(addresses)) {
      this.#eager?.forget(address);
      const channel = this.#table.active(address);
      if (channel !== undefined) this.#retire(channel);
    }
    if (!this.#options.scanAvailableNameSrv || addresses.length === 0) return;
    const { clock, connectTimeoutMillis } = this.#options;
    this.#nameServers.scan();
    this.#scanTimer ??= clock.setInterval(() => this.#nameServers.scan(), connectTimeoutMillis, true);
  }

  /**
   * Asks `source` for the list, such as an address server. However often this is called, one lookup is under way and at most one waits. Rejects
   * with what `source` rejects with; the list stays then.
   */
  refreshNameServerAddressList(
    source: () => Promise<readonly string[]>,
    { signal }: RefreshOptions = {},
  ): Promise<void> {
    const refresh = (): Promise<void> =>
      this.#refresh.run(async () => this.updateNameServerAddressList(await source()));
    return signal === undefined ? refresh() : abortable(signal, 'the lookup of the name servers', refresh);
  }

  /**
   * Adds an interceptor of calls, inside those that are there. RPC hooks run inside all, once for each sending. Calls without any pay nothing
   * for them.
   */
  use(interceptor: ClientInterceptor): this {
    checkFunction('an interceptor', interceptor);
    this.interceptors ??= [];
    this.interceptors.push(interceptor);
    return this;
  }

  get nameServerAddressList(): readonly string[] {
    return this.#nameServers.addresses;
  }

  /** Those of the list to which a connection stands; with `scanAvailableNameSrv` connections to all are tried. */
  get availableNameServerAddressList(): readonly string[] {
    return this.#nameServers.available;
  }

  /** The open connection to an address, if there is one; nothing is dialled. For whoever must know when it ends, or end it. */
  channel(address: string): Channel | undefined {
    return this.#table.active(address);
  }

  /** The connection to an address, or with `undefined` to a name server, made now if there is none. Fails as a call does. */
  connect(address: string | undefined, options: ConnectOptions = {}): Promise<Channel> {
    const connected = new CallPromise<Channel>();
    const timeoutMillis = options.timeoutMillis ?? this.#options.timeoutMillis;
    const problem = argumentProblem(nothing, timeoutMillis, options) ?? addressProblem(address);
    if (problem !== undefined) {
      connected.reject(new RemotingError('INVALID_ARGUMENT', problem, { address, sent: 'no' }));
      return connected.promise;
    }
    const future = this.#begin(
      address,
      nothing,
      timeoutMillis,
      options,
      connecting,
      (error) => {
        if (error !== undefined) connected.reject(error);
      },
      (channel) => {
        connected.resolve(channel);
        future?.settle(undefined, undefined);
      },
    );
    if (future !== undefined) this.dispatch(address, future);
    return connected.promise;
  }

  /** Whether a connection to the address stands or can be made; false for an empty address. */
  async isAddressReachable(address: string, options: ConnectOptions = {}): Promise<boolean> {
    if (address === '') return false;
    try {
      return (await this.connect(address, options)).isActive;
    } catch {
      return false;
    }
  }

  /** What the client is doing, as plain data. */
  describe(): ClientDescription {
    return describeClient({
      state: this.#closing === undefined ? 'open' : 'closing',
      table: this.#table,
      draining: this.#draining,
      nameServers: this.#nameServers,
      core: this.core,
      pending: this.#pending,
    });
  }

  /**
   * Refuses new calls, lets those under way end (each has its timeout), then closes the connections. Twice is as good as once: the first
   * call's grace counts, and the signal of each.
   *
   * @throws RemotingError `INVALID_ARGUMENT` for a grace that cannot be, or what is no signal
   */
  close({ graceMillis, signal }: ClientCloseOptions = {}): Promise<CloseReport> {
    if (graceMillis !== undefined) checkMillis('graceMillis', graceMillis);
    checkSignal(signal);
    this.#closing ??= this.#close(graceMillis);
    if (signal !== undefined) whenAborted(signal, this.#closing, () => this.#cutOff());
    return this.#closing;
  }

  /** Ends the calls under way with `CLOSED`, and the connections, at once; also after {@link close}. */
  async destroy(): Promise<CloseReport> {
    const closed = this.close();
    this.#cutOff();
    return await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(graceMillis: number | undefined): Promise<CloseReport> {
    const { clock } = this.#options;
    const pending = this.#pending.size;
    this.#scanTimer?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#eager?.close();
    const channels = (): Channel[] => [...this.#table.channels(), ...this.#draining.channels()];
    this.#opener.holdProcess(channels());
    const grace = graceMillis === undefined ? undefined : clock.setTimeout(() => this.#cutOff(), graceMillis);
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onCallsEnded = resolve;
      });
    }
    this.#table.close();
    this.#opener.abort();
    await Promise.allSettled(this.#table.dials());
    this.#tls?.close();
    await Promise.all(channels().map((channel) => channel.close()));
    grace?.cancel();
    return { finished: pending - this.#cut, cut: this.#cut };
  }

  #cutOff(): void {
    for (const future of [...this.#pending])
      if (future.fail('CLOSED', `${future.command} was cut off: the client is closed`)) this.#cut++;
    this.#opener.abort();
    for (const channel of [...this.#table.channels(), ...this.#draining.channels()]) channel.destroy();
  }

  protected override addressOf(address: string | undefined): string | undefined {
    return address;
  }

  protected override targetProblem(address: unknown): string | undefined {
    return addressProblem(address);
  }

  protected override begin(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number,
    options: InvokeOptions,
    kind: CallKind,
    callback: InvokeCallback,
  ): ResponseFuture | undefined {
    return this.#begin(address, request, timeoutMillis, options, kind, callback, undefined);
  }

  #begin(
    address: string | undefined,
    request: RemotingCommand,
    timeoutMillis: number,
    { signal, waitForReady }: InvokeOptions,
    { command, isOneway, isInner }: CallKind,
    callback: InvokeCallback,
    onChannel: ((channel: Channel) => void) | undefined,
  ): ResponseFuture | undefined {
    if (this.#closing !== undefined && isInner !== true) {
      callback(new ClosedError('CLOSED', 'the client is closed', { address, sent: 'no' }), undefined);
      return undefined;
    }
    const { clock } = this.#options;
    const onSettled = this.#onSettled;
    const future = this.core.calls.begin(
      {
        clock,
        timeoutMillis,
        signal,
        address,
        request,
        command,
        isOneway,
        isInner,
        waitForReady,
        onChannel,
        onSettled,
      },
      callback,
    );
    if (future.isSettled) return undefined;
    if (isInner !== true) this.#pending.add(future);
    return future;
  }

  readonly #onSettled = (future: ResponseFuture, error: RemotingError | undefined): void => {
    this.#pending.delete(future);
    const { channel } = future;
    if (channel !== undefined) {
      if (error !== undefined) this.#unanswered(future, channel, error);
      this.#draining.callEnded(channel);
    }
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
    if (error.code === 'SEND_FAILED' && error.sent === 'maybe') this.#log.notSent(channel, error);
    if (!isTimeout) return;
    if (!this.#options.closeSocketIfTimeout) {
      this.#log.timedOut(channel, error);
      return;
    }
    this.#table.ended(channel, error);
    this.#log.closedForTimeout(channel, error, timeoutMillis);
    channel.destroy(error);
  }

  protected override dispatch(address: string | undefined, future: ResponseFuture): void {
    if (future.isSettled) return;
    const channel = address === undefined ? this.#nameServers.active() : this.#table.active(address);
    if (channel !== undefined) {
      this.#proceed(future, channel);
      return;
    }
    future.waits();
    this.#connected(address, future).then(
      // One that was to take no further calls meanwhile is none for this one.
      (opened) => (this.#draining.has(opened) ? this.dispatch(address, future) : this.#proceed(future, opened)),
      (error: unknown) => this.#notConnected(future, error),
    );
  }

  #proceed(future: ResponseFuture, channel: Channel): void {
    if (this.#verifier?.isDoubtful(channel) === true) {
      future.waits();
      // A dead one is gone then.
      void this.#verifier.verify(channel).then(() => {
        if (channel.isActive) this.#use(future, channel);
        else this.dispatch(future.address, future);
      });
      return;
    }
    this.#use(future, channel);
  }

  #use(future: ResponseFuture, channel: Channel): void {
    if (future.onChannel === undefined) this.core.calls.send(future, channel);
    else if (!future.isSettled) future.onChannel(channel);
  }

  #connected(address: string | undefined, future: ResponseFuture): Promise<Channel> {
    const isWanted = (): boolean => !future.isSettled && !this.#opener.isAborted;
    const dialled = (): Promise<Channel> =>
      address === undefined
        ? this.#nameServers.connect(future.timeoutMillis, isWanted)
        : this.#table.getOrCreate(address);
    if (!future.waitForReady) return dialled();
    const whenDialable = (): Promise<void> =>
      address === undefined ? this.#nameServers.whenDialable() : this.#table.whenDialable(address);
    return connectWhenReady(dialled, whenDialable, isWanted);
  }

  #notConnected(future: ResponseFuture, error: unknown): void {
    if (future.goneFrom === undefined) {
      future.failToConnect(error);
      return;
    }
    const reason = `Receive GO_AWAY from channelId=${future.goneFrom}`;
    future.fail('SEND_FAILED', `send request to <${future.address}> failed: ${reason}, and no new connection`, error);
  }

  /** The server behind a connection goes away: what it did not serve is sent again over a new one (reference: remoting 3.10). */
  #goAway(future: ResponseFuture, channel: Channel): void {
    const from = `from channelId=${channel.id}`;
    const failed = `send request to <${channel.remoteAddress}> failed`;
    if (!this.#options.enableReconnectForGoAway) {
      future.fail('SEND_FAILED', `${failed}: Receive GO_AWAY ${from}`, undefined, 'no');
    } else if (future.goneFrom !== undefined) {
      future.fail('SEND_FAILED', `${failed}: Receive GO_AWAY twice in request ${from}`, undefined, 'no');
    } else {
      this.core.calls.takeBack(future);
      future.goneFrom = channel.id;
      this.#retire(channel);
      this.#draining.callEnded(channel);
      this.dispatch(future.address, future);
    }
  }

  /** The connection takes no further calls; it is closed when those over it have ended. */
  #retire(channel: Channel): void {
    this.#givenUp.add(channel);
    this.#table.remove(channel);
    this.#draining.add(channel);
  }

  /** Leaves connections to addresses that their names do not have any more. */
  #retireMoved(): void {
    const { lookup } = this.#options;
    for (const channel of this.#table.channels()) {
      const address = this.#table.addressOf(channel);
      if (address === undefined) continue;
      void isStillAt(channel, address, lookup).then((isThere) => {
        if (!isThere && channel.isActive) this.#retire(channel);
      });
    }
  }

  readonly #tell = emitTo(this);

  readonly #listener: ConnectionListener = (event, channel, error) => {
    if (event === 'idle') this.#givenUp.add(channel);
    if (event === 'close') this.#log.closed(channel);
    this.#tell(event, channel, error);
  };

  #watchLoss(address: string, channel: Channel): void {
    const { clock } = this.#options;
    const since = clock.monotonic();
    void channel.closed.then(() => {
      if (!this.#givenUp.has(channel) && this.#closing === undefined)
        this.#eager?.lost(address, clock.monotonic() - since);
    });
  }
}
