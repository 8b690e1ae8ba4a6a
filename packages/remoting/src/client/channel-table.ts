import type { Channel } from '../channel/channel.js';

/**
 * One connection for each address, and one dial however many callers wait for it (upstream: `channelTables`). The key is the caller's
 * text: `localhost:9876` and `127.0.0.1:9876` are two connections.
 */
export class ChannelTable {
  readonly #channels = new Map<string, Channel>();
  readonly #dials = new Map<string, Promise<Channel>>();
  readonly #dial: (address: string) => Promise<Channel>;

  constructor(dial: (address: string) => Promise<Channel>) {
    this.#dial = dial;
  }

  /** The connection to an address if it stands. */
  active(address: string): Channel | undefined {
    const channel = this.#channels.get(address);
    return channel?.isActive === true ? channel : undefined;
  }

  /** The connection to an address, dialled when there is none. Failures are not remembered: the next caller dials again. */
  getOrCreate(address: string): Promise<Channel> {
    const channel = this.active(address);
    if (channel !== undefined) return Promise.resolve(channel);
    const running = this.#dials.get(address);
    if (running !== undefined) return running;
    const dial = this.#dial(address).then(
      (created) => {
        this.#dials.delete(address);
        this.#channels.set(address, created);
        void created.closed.then(() => this.remove(address, created));
        return created;
      },
      (error: unknown) => {
        this.#dials.delete(address);
        throw error;
      },
    );
    this.#dials.set(address, dial);
    return dial;
  }

  /** Forgets a connection, unless another took its place already. */
  remove(address: string, channel: Channel): void {
    if (this.#channels.get(address) === channel) this.#channels.delete(address);
  }

  channels(): Channel[] {
    return [...this.#channels.values()];
  }

  /** Dials under way; they settle by themselves. */
  dials(): Promise<Channel>[] {
    return [...this.#dials.values()];
  }
}
