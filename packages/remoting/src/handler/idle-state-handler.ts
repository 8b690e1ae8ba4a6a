import type { ChannelHandler, WriteListener } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type Clock, systemClock, type Timer } from '../clock.js';

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
 * Fires {@link IdleStateEvent} when for `allIdleMillis` nothing was read and no write was completed, and again after each further such
 * time (upstream: Netty's `IdleStateHandler`). A large write of which the peer took a part counts as activity.
 *
 * There is one timer for each channel. Messages only note the time; the timer looks at it when it runs, and is set anew for the rest.
 */
export class IdleStateHandler implements ChannelHandler {
  readonly #allIdleMillis: number;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #lastActive = 0;
  #seenBytes = 0;
  /** Shared by all writes that came without a listener. */
  #onWritten: WriteListener | undefined;

  constructor(options: IdleStateHandlerOptions = {}) {
    this.#allIdleMillis = options.allIdleMillis ?? 120_000;
    this.#clock = options.clock ?? systemClock;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    this.#onWritten = this.#noting((error) => {
      // Without this handler the pipeline would have reported it, unless the channel's end failed all that waited.
      if (error !== undefined && ctx.channel.isActive) ctx.pipeline.report(error);
    });
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

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    this.#lastActive = this.#clock.monotonic();
    ctx.fireChannelRead(message);
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    ctx.write(message, listener === undefined ? this.#onWritten : this.#noting(listener));
  }

  #noting(listener: WriteListener): WriteListener {
    return (error) => {
      if (error === undefined) this.#lastActive = this.#clock.monotonic();
      listener(error);
    };
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

  #arm(ctx: ChannelHandlerContext, delayMillis: number): void {
    this.#timer = this.#clock.setTimeout(() => this.#look(ctx), delayMillis, true);
  }

  #look(ctx: ChannelHandlerContext): void {
    const now = this.#clock.monotonic();
    const { bytesWritten, pendingBytes } = ctx.channel;
    // When the part left is not known, only that it left since the last look; so the channel gets the whole time again.
    if (pendingBytes > 0 && bytesWritten !== this.#seenBytes) this.#lastActive = now;
    this.#seenBytes = bytesWritten;
    const leftMillis = this.#lastActive + this.#allIdleMillis - now;
    if (leftMillis > 0) {
      this.#arm(ctx, leftMillis);
      return;
    }
    this.#arm(ctx, this.#allIdleMillis);
    ctx.fireUserEventTriggered(allIdle);
  }
}
