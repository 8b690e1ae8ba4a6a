import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import { RemotingError } from '../errors.js';
import { setPatientTimeout } from './patient-timeout.js';

export interface ReadBackpressureOptions {
  /** Whether reading is switched off while the channel is unwritable; default true. Else only the peer that takes nothing is watched for. */
  readonly pausesReading?: boolean | undefined;
  /** How long an unwritable channel may go without a byte being taken before it is destroyed. Default 30000; 0 switches it off. */
  readonly stalledWriteMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * Switches reading off while the channel is not writable, so that a peer that does not take its answers cannot ask for more (upstream:
 * `NettyConnectManageHandler.channelWritabilityChanged` of 5.3.3; reference: remoting 5.3). A reading that somebody else switched off
 * is left alone.
 *
 * A peer that takes nothing at all is destroyed after `stalledWriteMillis`, counted from when the channel became unwritable or from the last
 * look at which bytes had gone; looks come every `stalledWriteMillis`, so a stall lasts less than twice that time.
 */
export class ReadBackpressure implements ChannelHandler {
  readonly #stalledWriteMillis: number;
  readonly #pausesReading: boolean;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #switchedOff = false;

  constructor(options: ReadBackpressureOptions = {}) {
    this.#stalledWriteMillis = options.stalledWriteMillis ?? 30_000;
    this.#pausesReading = options.pausesReading ?? true;
    this.#clock = options.clock ?? systemClock;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    if (ctx.channel.isActive) this.#adapt(ctx);
  }

  handlerRemoved(ctx: ChannelHandlerContext): void {
    this.#resume(ctx);
  }

  channelWritabilityChanged(ctx: ChannelHandlerContext): void {
    this.#adapt(ctx);
    ctx.fireChannelWritabilityChanged();
  }

  #adapt(ctx: ChannelHandlerContext): void {
    const { channel } = ctx;
    if (channel.isWritable) {
      this.#resume(ctx);
      return;
    }
    if (channel.autoRead && this.#pausesReading) {
      channel.autoRead = false;
      this.#switchedOff = true;
    }
    if (this.#stalledWriteMillis > 0 && this.#timer === undefined) this.#watch(ctx);
  }

  #resume(ctx: ChannelHandlerContext): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!this.#switchedOff) return;
    this.#switchedOff = false;
    ctx.channel.autoRead = true;
  }

  #watch(ctx: ChannelHandlerContext): void {
    const { channel } = ctx;
    const before = channel.bytesWritten;
    // Patient, so that a channel whose bytes went while this process stood still hears of it first.
    this.#timer = setPatientTimeout(
      this.#clock,
      () => {
        if (channel.bytesWritten === before) channel.destroy(this.#stalled(ctx));
        else this.#watch(ctx);
      },
      this.#stalledWriteMillis,
    );
  }

  #stalled({ channel }: ChannelHandlerContext): RemotingError {
    const { remoteAddress: address, pendingBytes } = channel;
    return new RemotingError(
      'SEND_FAILED',
      `${address} took none of ${pendingBytes} waiting bytes for ${this.#stalledWriteMillis} ms; the connection is closed to free them`,
      { address },
    );
  }
}
