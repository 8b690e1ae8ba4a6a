import {
  type Channel,
  type ChannelHandler,
  type ChannelHandlerContext,
  type Clock,
  RemotingError,
} from '@rmqns/remoting';

const NAME = 'silence';

/**
 * Leaves a connection on which a call got no answer in time only when nothing at all is heard for as long again: whoever is slow keeps
 * its connection, and with it what it knows of the broker; a connection that is dead is left after two timeouts.
 */
export class SilenceHandler implements ChannelHandler {
  readonly #clock: Clock;
  readonly #graceMillis: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, graceMillis: number) {
    this.#clock = clock;
    this.#graceMillis = graceMillis;
  }

  /** To be done for a new channel, after the other handlers were added. */
  addTo(channel: Channel): void {
    channel.pipeline.addFirst(NAME, this);
  }

  /** The one that watches a channel, if any. */
  static of(channel: Channel | undefined): SilenceHandler | undefined {
    const handler = channel?.pipeline.get(NAME);
    return handler instanceof SilenceHandler ? handler : undefined;
  }

  /** A call over the channel got no answer in time. */
  timedOut(channel: Channel): void {
    if (this.#cancel !== undefined) return;
    const timer = this.#clock.setTimeout(() => {
      this.#cancel = undefined;
      const { remoteAddress: address } = channel;
      const message = `nothing was heard from ${address} for ${this.#graceMillis} ms after a call got no answer in time; the next one connects anew`;
      channel.destroy(new RemotingError('TIMEOUT', message, { address }));
    }, this.#graceMillis);
    this.#cancel = () => timer.cancel();
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    this.#heard();
    ctx.fireChannelRead(message);
  }

  handlerRemoved(): void {
    this.#heard();
  }

  #heard(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
