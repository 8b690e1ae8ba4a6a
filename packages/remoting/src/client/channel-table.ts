import type { Channel } from '../channel/channel.js';
import type { Clock, Timer } from '../clock.js';
import { ConnectError, RemotingError } from '../errors.js';
import { DialBackoff, type DialBackoffOptions } from './dial-backoff.js';

/** Opens a connection. `opened` is called once it is set up and before its first event, so that whoever hears of it finds it here. */
export type Dial = (address: string, opened: (channel: Channel) => void) => Promise<Channel>;

/** An address whose last dials failed. */
export interface ConnectFailure {
  readonly address: string;
  /** How many dials failed in a row. */
  readonly attempts: number;
  /** How long until the next one may be made. */
  readonly nextDialMillis: number;
  readonly error: RemotingError;
}

export interface ChannelTableOptions extends DialBackoffOptions {
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  /** Told of each dial that failed. */
  readonly onFailed?: ((failure: ConnectFailure) => void) | undefined;
}

/** Beyond so many unreachable addresses, those whose wait is over are forgotten. */
const MAX_FAILING_ADDRESSES = 1_000;

/**
 * One connection for each address, and one dial however many callers wait for it (upstream: `channelTables`). The key is the caller's
 * text: `localhost:9876` and `127.0.0.1:9876` are two connections. After failed dials an address is left alone for a while, or every call
 * to a dead server would be a dial.
 */
export class ChannelTable {
  readonly #channels = new Map<string, Channel>();
  readonly #addresses = new WeakMap<Channel, string>();
  /** What came before connections that have not ended: the failures in a row, and when. */
  readonly #begun = new WeakMap<Channel, { readonly backoff: DialBackoff | undefined; readonly since: number }>();
  readonly #dials = new Map<string, Promise<Channel>>();
  readonly #failing = new Map<string, DialBackoff>();
  readonly #retries = new Map<string, { readonly due: Promise<void>; readonly end: () => void }>();
  readonly #dial: Dial;
  readonly #options: ChannelTableOptions;
  #isClosed = false;

  constructor(dial: Dial, options: ChannelTableOptions) {
    this.#dial = dial;
    this.#options = options;
  }

  /** The connection to an address if it stands. */
  active(address: string): Channel | undefined {
    const channel = this.#channels.get(address);
    return channel?.isActive === true ? channel : undefined;
  }

  /** The address that a connection was dialled for, as its caller wrote it. */
  addressOf(channel: Channel): string | undefined {
    return this.#addresses.get(channel);
  }

  /**
   * The connection to an address, dialled when there is none.
   *
   * @throws ConnectError also without a dial, while the address is left alone after others that failed
   */
  getOrCreate(address: string): Promise<Channel> {
    const channel = this.active(address);
    if (channel !== undefined) return Promise.resolve(channel);
    const running = this.#dials.get(address);
    if (running !== undefined) return running;
    const refused = this.#leftAlone(address);
    if (refused !== undefined) return Promise.reject(refused);
    const dial = this.#dialNow(address).finally(() => this.#dials.delete(address));
    this.#dials.set(address, dial);
    return dial;
  }

  /** How long the address is left alone. */
  waitMillis(address: string): number {
    return this.#failing.get(address)?.waitMillis(this.#options.clock.monotonic()) ?? 0;
  }

  /** Resolves when the address may be dialled again, or the table was closed. One timer for all who wait. */
  whenDialable(address: string): Promise<void> {
    const waiting = this.#retries.get(address);
    if (waiting !== undefined) return waiting.due;
    const waitMillis = this.waitMillis(address);
    if (waitMillis === 0 || this.#isClosed) return Promise.resolve();
    let timer: Timer | undefined;
    let end = (): void => {};
    const due = new Promise<void>((resolve) => {
      end = () => {
        timer?.cancel();
        this.#retries.delete(address);
        resolve();
      };
    });
    this.#retries.set(address, { due, end });
    timer = this.#options.clock.setTimeout(end, waitMillis, true);
    return due;
  }

  /** Forgets a connection, unless another took its place already. False when it was not the one of its address. */
  remove(channel: Channel): boolean {
    const address = this.#addresses.get(channel);
    if (address === undefined || this.#channels.get(address) !== channel) return false;
    return this.#channels.delete(address);
  }

  /**
   * Forgets a connection that an error has ended, or is about to. A peer that is frozen takes connections, by its system, and does nothing with
   * them: a dial whose connection came to nothing has failed too.
   */
  ended(channel: Channel, reason: RemotingError | undefined): void {
    this.remove(channel);
    const address = this.#addresses.get(channel);
    const begun = this.#begun.get(channel);
    this.#begun.delete(channel);
    if (address === undefined || begun === undefined || reason === undefined || channel.bytesRead > 0) return;
    const { clock, maxMillis } = this.#options;
    if (this.#isClosed || this.#channels.has(address) || clock.monotonic() - begun.since >= maxMillis) return;
    const message = `nothing ever came over the connection to ${address}, which ended: ${reason.message}`;
    this.#note(address, new ConnectError(message, { address, cause: reason }), begun.backoff);
  }

  channels(): Channel[] {
    return [...this.#channels.values()];
  }

  /** Dials under way; they settle by themselves. */
  dials(): Promise<Channel>[] {
    return [...this.#dials.values()];
  }

  /** The addresses being dialled. */
  dialling(): string[] {
    return [...this.#dials.keys()];
  }

  failures(): ConnectFailure[] {
    return [...this.#failing].map(([address, backoff]) => this.#failure(address, backoff));
  }

  /** Wakes whoever waits for a dial; failures are not noted any more. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of [...this.#retries.values()]) end();
    this.#failing.clear();
  }

  async #dialNow(address: string): Promise<Channel> {
    try {
      return await this.#dial(address, (opened) => this.#opened(address, opened));
    } catch (error) {
      // A connection that stood and was then refused by an `initChannel` or the like says nothing of the address.
      if (!this.#isClosed && isConnectFailure(error)) this.#failed(address, error);
      throw error;
    }
  }

  #opened(address: string, channel: Channel): void {
    this.#channels.set(address, channel);
    this.#addresses.set(channel, address);
    this.#begun.set(channel, { backoff: this.#failing.get(address), since: this.#options.clock.monotonic() });
    this.#failing.delete(address);
    void channel.closed.then((reason) => this.ended(channel, reason));
  }

  #failed(address: string, error: unknown): void {
    this.#options.onFailed?.(this.#failure(address, this.#note(address, error, this.#failing.get(address))));
  }

  /** One more failure in a row, of which `known` knows the others. */
  #note(address: string, error: unknown, known: DialBackoff | undefined): DialBackoff {
    const now = this.#options.clock.monotonic();
    if (this.#failing.size >= MAX_FAILING_ADDRESSES) this.#forgetOver(now);
    const backoff = known ?? new DialBackoff(this.#options, this.#options.random);
    this.#failing.set(address, backoff);
    backoff.failed(now, error);
    return backoff;
  }

  #forgetOver(now: number): void {
    for (const [address, backoff] of this.#failing) if (backoff.waitMillis(now) === 0) this.#failing.delete(address);
  }

  #failure(address: string, backoff: DialBackoff): ConnectFailure {
    const nextDialMillis = Math.ceil(this.waitMillis(address));
    const error = RemotingError.from(backoff.lastError, 'CONNECT_FAILED', `connect to ${address} failed`, { address });
    return { address, attempts: backoff.failures, nextDialMillis, error };
  }

  #leftAlone(address: string): ConnectError | undefined {
    const backoff = this.#failing.get(address);
    if (backoff === undefined || this.waitMillis(address) === 0) return undefined;
    const { attempts, nextDialMillis, error } = this.#failure(address, backoff);
    const message = `${error.message}; ${attempts} dials failed in a row, the next is made in ${nextDialMillis} ms at the earliest`;
    return new ConnectError(message, { address, cause: error.cause ?? error });
  }
}

function isConnectFailure(error: unknown): boolean {
  return !RemotingError.is(error) || error.code === 'CONNECT_FAILED';
}
