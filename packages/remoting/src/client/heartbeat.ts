import type { Channel } from '../channel/channel.js';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import type { Clock, Timer } from '../clock.js';
import { ClosedError } from '../errors.js';
import { setPatientTimeout } from '../handler/patient-timeout.js';

export interface HeartbeatOptions {
  /** After so long without a byte from the peer it is asked for a sign of life; 0 never. */
  readonly periodMillis: number;
  /** After so many periods without a byte the connection is destroyed. */
  readonly misses: number;
  readonly clock: Clock;
  /** Asks the peer for a sign of life; any answer is one. */
  readonly probe: (channel: Channel) => void;
}

/**
 * Finds out that a connection is half open: the peer is gone or frozen, and TCP does not say so. Any byte that comes is a sign of life; at most
 * one probe is under way. When this process itself stood still, what arrived meanwhile is read before the peer is judged.
 */
export class Heartbeat implements ChannelHandler {
  static readonly #of = new WeakMap<Channel, Heartbeat>();
  readonly #options: HeartbeatOptions;
  #timer: Timer | undefined;
  #lastRead = 0;
  #lastReadAt = 0;
  #missed = 0;
  #isProbing = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** That of a channel, if it has one. */
  static of(channel: Channel): Heartbeat | undefined {
    return Heartbeat.#of.get(channel);
  }

  /**
   * How long nothing came, by whichever clock says more: the monotonic one stands still while the machine sleeps, the wall clock does not.
   */
  get silentMillis(): number {
    const { clock } = this.#options;
    return Math.max(clock.monotonic() - this.#lastRead, clock.now() - this.#lastReadAt);
  }

  channelActive(ctx: ChannelHandlerContext): void {
    Heartbeat.#of.set(ctx.channel, this);
    this.#heard();
    if (this.#options.periodMillis > 0) this.#arm(ctx);
    ctx.fireChannelActive();
  }

  channelReadComplete(ctx: ChannelHandlerContext): void {
    this.#heard();
    ctx.fireChannelReadComplete();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#timer?.cancel();
    ctx.fireChannelInactive();
  }

  handlerRemoved(): void {
    this.#timer?.cancel();
  }

  #heard(): void {
    const { clock } = this.#options;
    this.#lastRead = clock.monotonic();
    this.#lastReadAt = clock.now();
    this.#missed = 0;
    this.#isProbing = false;
  }

  #arm(ctx: ChannelHandlerContext): void {
    const { clock, periodMillis } = this.#options;
    const due = this.#lastRead + (this.#missed + 1) * periodMillis;
    this.#timer = setPatientTimeout(clock, () => this.#look(ctx), Math.max(1, due - clock.monotonic()));
  }

  #look(ctx: ChannelHandlerContext): void {
    const { clock, periodMillis, misses, probe } = this.#options;
    if (clock.monotonic() - this.#lastRead >= periodMillis) {
      this.#missed++;
      const { channel } = ctx;
      if (this.#missed >= misses) {
        const address = channel.remoteAddress;
        const message = `nothing came from ${address} for ${this.#missed} times ${periodMillis} ms, though it was asked for a sign of life`;
        const error = new ClosedError('CONNECTION_CLOSED', message, { address });
        // The calls that wait hear why; and the peer is not waited for.
        ctx.fireExceptionCaught(error);
        channel.destroy(error);
        return;
      }
      if (!this.#isProbing) {
        this.#isProbing = true;
        probe(channel);
      }
    }
    this.#arm(ctx);
  }
}
