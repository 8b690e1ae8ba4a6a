import type { Channel } from '../channel/channel.js';

/** Opens a connection. `opened` is called once it is set up and before its first event, so that whoever hears of it finds it here. */
export type Dial = (address: string, opened: (channel: Channel) => void) => Promise<Channel>;

/**
 * One connection for each address, and one dial however many callers wait for it (upstream: `channelTables`). The key is the caller's
 * text: `localhost:9876` and `127.0.0.1:9876` are two connections.
 */
export class ChannelTable {
  readonly #channels = new Map<string, Channel>();
  readonly #addresses = new WeakMap<Channel, string>();
  readonly #dials = new Map<string, Promise<Channel>>();
  readonly #dial: Dial;

  constructor(dial: Dial) {
    this.#dial = dial;
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

  /** The connection to an address, dialled when there is none. Failures are not remembered: the next caller dials again. */
  getOrCreate(address: string): Promise<Channel> {
    const channel = this.active(address);
    if (channel !== undefined) return Promise.resolve(channel);
    const running = this.#dials.get(address);
    if (running !== undefined) return running;
    const dial = this.#dial(address, (opened) => {
      this.#channels.set(address, opened);
      this.#addresses.set(opened, address);
      void opened.closed.then(() => this.remove(opened));
    }).finally(() => this.#dials.delete(address));
    this.#dials.set(address, dial);
    return dial;
  }

  /** Forgets a connection, unless another took its place already. */
  remove(channel: Channel): void {
    const address = this.#addresses.get(channel);
    if (address !== undefined && this.#channels.get(address) === channel) this.#channels.delete(address);
  }

  channels(): Channel[] {
    return [...this.#channels.values()];
  }

  /** Dials under way; they settle by themselves. */
  dials(): Promise<Channel>[] {
    return [...this.#dials.values()];
  }
}
