import { setMaxListeners } from 'node:events';
import type { Channel } from '../channel/channel.js';
import { readSocket } from '../channel/read-socket.js';
import { type ChannelSocket, SocketChannel } from '../channel/socket-channel.js';
import { ClosedError, RemotingError } from '../errors.js';
import type { ConnectionListener } from '../handler/connection-events.js';
import { ChannelInitializer, channelOptions } from '../rpc/channel-initializer.js';
import type { RemotingCore } from '../rpc/remoting-core.js';
import type { ResolvedRemotingClientOptions } from './client-options.js';
import type { ClientTls } from './client-tls.js';
import type { ConnectionVerifier } from './connection-verifier.js';
import { type DialAny, dialBy } from './create-connection.js';
import { dial } from './dial.js';
import { parseDialTarget } from './dial-target.js';
import { dialThrough } from './socks-dial.js';
import type { SocksProxies } from './socks-proxies.js';

/** Makes a client's connections: dials, sets the pipeline up, shakes hands, and sees to it that they hold the process when they should. */
export class ChannelOpener {
  readonly #core: RemotingCore;
  readonly #options: ResolvedRemotingClientOptions;
  readonly #tls: ClientTls | undefined;
  readonly #verifier: ConnectionVerifier | undefined;
  readonly #initializer: ChannelInitializer;
  readonly #dial: DialAny;
  readonly #abort = new AbortController();
  readonly #sockets = new WeakMap<Channel, ChannelSocket>();
  #isHolding: boolean;

  constructor(
    core: RemotingCore,
    options: ResolvedRemotingClientOptions,
    proxies: SocksProxies,
    tls: ClientTls | undefined,
    verifier: ConnectionVerifier | undefined,
    listener: ConnectionListener,
  ) {
    this.#core = core;
    this.#options = options;
    this.#tls = tls;
    this.#verifier = verifier;
    this.#initializer = new ChannelInitializer(core, listener, options, { readsWhileUnwritable: true });
    this.#isHolding = options.keepProcessAlive;
    const { createConnection } = options;
    const dialOwn = proxies.isEmpty ? dial : dialThrough(proxies, dial);
    this.#dial =
      createConnection !== undefined ? dialBy(createConnection) : async (...to) => readSocket(await dialOwn(...to));
    setMaxListeners(0, this.#abort.signal);
  }

  get isAborted(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Ends dials under way; there are no further ones. */
  abort(): void {
    this.#abort.abort();
  }

  /** Whoever waits for the end of these connections, or of dials under way, must not see the process end before. */
  holdProcess(channels: Iterable<Channel>): void {
    this.#isHolding = true;
    for (const channel of channels) this.#sockets.get(channel)?.ref?.();
  }

  /**
   * Opens a connection.
   *
   * @param opened called once it is set up and before its first event
   * @throws RemotingError `CONNECT_FAILED`; `INVALID_ARGUMENT` for an address that is none; `HANDLER_FAILED` when `initChannel` failed
   */
  async open(address: string, opened: (channel: Channel) => void): Promise<Channel> {
    try {
      return await this.#open(address, opened);
    } catch (thrown) {
      if (RemotingError.is(thrown) && thrown.code === 'CONNECT_FAILED') this.#core.counterTable.connectFailures++;
      throw thrown;
    }
  }

  async #open(address: string, opened: (channel: Channel) => void): Promise<Channel> {
    const { connectTimeoutMillis, clock, logger, lookup } = this.#options;
    const target = parseDialTarget(address);
    const endMillis = clock.monotonic() + connectTimeoutMillis;
    const { signal } = this.#abort;
    const tlsContext = this.#tls === undefined ? undefined : await this.#tls.context(address);
    const socket = await this.#dial(target, address, connectTimeoutMillis, clock, signal, lookup);
    const unixPath = target.path === undefined ? undefined : address;
    const channel = new SocketChannel(socket, { ...channelOptions(clock, logger), remoteAddress: unixPath });
    try {
      if (this.isAborted) throw new ClosedError('CLOSED', 'the client is closed', { address, sent: 'no' });
      this.#initializer.initialize(channel);
      this.#verifier?.addTo(channel);
    } catch (thrown) {
      const error = RemotingError.from(thrown, 'HANDLER_FAILED', 'initChannel failed', { address });
      channel.destroy(error);
      throw error;
    }
    // A pending call holds the process by its timer.
    if (!this.#isHolding) socket.unref?.();
    this.#sockets.set(channel, socket);
    if (this.#tls !== undefined && tlsContext !== undefined) {
      const leftMillis = Math.max(1, endMillis - clock.monotonic());
      const done = (): void => opened(channel);
      await this.#tls.handshake(channel, tlsContext, target.host ?? 'localhost', leftMillis, signal, done);
      return channel;
    }
    opened(channel);
    channel.start();
    return channel;
  }
}
