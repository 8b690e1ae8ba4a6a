import type { Channel } from '../channel/channel.js';
import type { Clock } from '../clock.js';
import { ConnectError } from '../errors.js';
import { AddressSelector } from './address-selector.js';
import type { ChannelTable } from './channel-table.js';

/** Connections to one of a list of equal servers (upstream: `getAndCreateNameserverChannel`; reference: remoting 4.4). */
export class NameServerChannels {
  readonly #table: ChannelTable;
  readonly #clock: Clock;
  readonly #selector: AddressSelector;

  constructor(table: ChannelTable, clock: Clock, selector: AddressSelector = new AddressSelector()) {
    this.#table = table;
    this.#clock = clock;
    this.#selector = selector;
  }

  get addresses(): readonly string[] {
    return this.#selector.addresses;
  }

  /** The address in use, if any. */
  get chosen(): string | undefined {
    return this.#selector.chosen;
  }

  /** Those of the list to which a connection stands. */
  get available(): string[] {
    return this.addresses.filter((address) => this.#table.active(address) !== undefined);
  }

  /** Takes a new list, and gives back the addresses that are not on it any more; an empty one is ignored. */
  update(addresses: readonly string[]): string[] {
    return this.#selector.update(addresses);
  }

  /** The connection in use, if it stands. */
  active(): Channel | undefined {
    const { chosen } = this.#selector;
    return chosen === undefined ? undefined : this.#table.active(chosen);
  }

  /** A call over this connection did not get its answer: the next call goes to the next server. */
  failed(channel: Channel): void {
    const address = this.#table.addressOf(channel);
    if (address !== undefined) this.#selector.fail(address);
  }

  /** Resolves when the first of them may be dialled again. @throws ConnectError when there are none */
  async whenDialable(): Promise<void> {
    if (this.addresses.length === 0) throw noNameServer();
    await Promise.race(this.addresses.map((address) => this.#table.whenDialable(address)));
  }

  /** Dials those of the list to which no connection stands; how that ends is seen in {@link available}. */
  scan(): void {
    for (const address of this.addresses) this.#table.getOrCreate(address).catch(() => {});
  }

  /**
   * The server in use, else each in turn until one connects. None may take more than its share of the time, or one that swallows dials
   * would leave none for the rest; its dial goes on for others.
   *
   * @param isWanted false once nobody waits for the connection any more
   * @throws RemotingError `CONNECT_FAILED` naming all that were tried, with the last failure as cause
   */
  async connect(timeoutMillis: number, isWanted: () => boolean): Promise<Channel> {
    const candidates = this.#selector.candidates();
    const deadline = this.#clock.monotonic() + timeoutMillis;
    let last: unknown;
    for (const [index, address] of candidates.entries()) {
      if (!isWanted()) break;
      const share = (deadline - this.#clock.monotonic()) / (candidates.length - index);
      try {
        const channel = await this.#within(share, address);
        this.#selector.choose(address);
        return channel;
      } catch (error) {
        this.#selector.fail(address);
        last = error;
      }
    }
    if (candidates.length === 0) throw noNameServer();
    const why = last instanceof Error ? `, the last because: ${last.message}` : '';
    throw new ConnectError(`connect to [${candidates.join(', ')}] failed${why}`, { cause: last });
  }

  #within(millis: number, address: string): Promise<Channel> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => {
        const message = `connect to ${address} failed: no connection within its share of ${Math.round(millis)} ms`;
        reject(new ConnectError(message, { address }));
      }, millis);
      this.#table
        .getOrCreate(address)
        .finally(() => timer.cancel())
        .then(resolve, reject);
    });
  }
}

function noNameServer(): ConnectError {
  return new ConnectError('connect to null failed: no name server address is set');
}
