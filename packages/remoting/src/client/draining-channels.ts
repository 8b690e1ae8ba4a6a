import type { Channel } from '../channel/channel.js';

/** Connections that take no further calls and are closed as soon as the last call over them has ended. */
export class DrainingChannels {
  readonly #channels = new Set<Channel>();
  readonly #waitingOn: (channel: Channel) => number;

  /** @param waitingOn how many calls wait on a connection */
  constructor(waitingOn: (channel: Channel) => number) {
    this.#waitingOn = waitingOn;
  }

  add(channel: Channel): void {
    if (this.#channels.has(channel)) return;
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
    this.callEnded(channel);
  }

  has(channel: Channel): boolean {
    return this.#channels.has(channel);
  }

  /** A call over a connection has ended: was it the last? */
  callEnded(channel: Channel): void {
    if (this.#channels.size === 0 || !this.#channels.has(channel) || this.#waitingOn(channel) > 0) return;
    void channel.close();
  }

  channels(): Channel[] {
    return [...this.#channels];
  }
}
