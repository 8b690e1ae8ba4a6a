import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import { setPatientTimeout } from './patient-timeout.js';

export const IdleState = {
  /** Nothing was read and no write was completed. */
  ALL_IDLE: 'allIdle',
} as const;

export type IdleState = (typeof IdleState)[keyof typeof IdleState];

/** User event of {@link IdleStateHandler}. */
export interface IdleStateEvent {
  readonly type: 'idle';
  readonly state: IdleState;
}

const allIdle: IdleStateEvent = { type: 'idle', state: IdleState.ALL_IDLE };

export function isIdleStateEvent(event: unknown): event is IdleStateEvent {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'idle' && 'state' in event;
}

export interface IdleStateHandlerOptions {
  /** Default 120000, as upstream's `serverChannelMaxIdleTimeSeconds`; 0 switches it off. */
  readonly allIdleMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * Fires {@link IdleStateEvent} when for `allIdleMillis` nothing was read and no byte was taken by the operating system, and again after each
 * further such time (upstream: Netty's `IdleStateHandler`). A part of a frame counts, and so does a part of a large write that the
 * peer took.
 *
 * There is one timer for each channel, and messages cost nothing: the end of each read notes the time, and `bytesWritten` tells whether
 * something was written since the last look. Looks come each quarter of `allIdleMillis`, so after a last write the event may come by a
 * quarter later. When this process stood still, what arrived meanwhile is read before a channel is called idle.
 */
export class IdleStateHandler implements ChannelHandler {
  readonly #allIdleMillis: number;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #lastActive = 0;
  #seenBytes = 0;

  constructor(options: IdleStateHandlerOptions = {}) {
    this.#allIdleMillis = options.allIdleMillis ?? 120_000;
    this.#clock = options.clock ?? systemClock;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    if (ctx.channel.isActive) this.#start(ctx);
  }

  handlerRemoved(): void {
    this.#stop();
  }

  channelActive(ctx: ChannelHandlerContext): void {
    this.#start(ctx);
    ctx.fireChannelActive();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#stop();
    ctx.fireChannelInactive();
  }

  channelReadComplete(ctx: ChannelHandlerContext): void {
    this.#lastActive = this.#clock.monotonic();
    ctx.fireChannelReadComplete();
  }

  #start(ctx: ChannelHandlerContext): void {
    if (this.#allIdleMillis <= 0 || this.#timer !== undefined) return;
    this.#lastActive = this.#clock.monotonic();
    this.#seenBytes = ctx.channel.bytesWritten;
    this.#arm(ctx, this.#allIdleMillis);
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(ctx: ChannelHandlerContext, leftMillis: number): void {
    const delayMillis = Math.min(leftMillis, this.#allIdleMillis / 4);
    this.#timer = setPatientTimeout(this.#clock, () => this.#look(ctx), delayMillis);
  }

  #look(ctx: ChannelHandlerContext): void {
    const now = this.#clock.monotonic();
    const { bytesWritten } = ctx.channel;
    if (bytesWritten !== this.#seenBytes) this.#lastActive = now;
    this.#seenBytes = bytesWritten;
    const leftMillis = this.#lastActive + this.#allIdleMillis - now;
    if (leftMillis > 0) {
      this.#arm(ctx, leftMillis);
      return;
    }
    this.#lastActive = now;
    this.#arm(ctx, this.#allIdleMillis);
    ctx.fireUserEventTriggered(allIdle);
  }
}
