import type { Channel } from '../channel/channel.js';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { RemotingError } from '../errors.js';
import { isIdleStateEvent } from './idle-state-handler.js';

/** What can happen to a connection (upstream: `NettyEventType`; reference: remoting 3.9). */
export const ConnectionEvent = {
  CONNECT: 'connect',
  CLOSE: 'close',
  IDLE: 'idle',
  EXCEPTION: 'exception',
} as const;

export type ConnectionEvent = (typeof ConnectionEvent)[keyof typeof ConnectionEvent];

/**
 * Told of a connection's events in the turn in which they happen; must not block. One connection may have several of `idle`, `exception`
 * and `close`, so what it does must be safe to repeat. `error` comes with `exception`.
 */
export type ConnectionListener = (event: ConnectionEvent, channel: Channel, error?: RemotingError) => void;

/**
 * Tells a listener how the connection fares, and closes it when it is idle or broken (upstream: `NettyConnectManageHandler`; reference:
 * remoting 5.3). Exceptions end here: the listener has them. What the listener throws is reported to the channel's owner.
 */
export class ConnectionEvents implements ChannelHandler {
  readonly sharable = true;
  readonly #listener: ConnectionListener;

  constructor(listener: ConnectionListener) {
    this.#listener = listener;
  }

  channelActive(ctx: ChannelHandlerContext): void {
    this.#tell(ctx, ConnectionEvent.CONNECT);
    ctx.fireChannelActive();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#tell(ctx, ConnectionEvent.CLOSE);
    ctx.fireChannelInactive();
  }

  userEventTriggered(ctx: ChannelHandlerContext, event: unknown): void {
    if (isIdleStateEvent(event)) {
      this.#tell(ctx, ConnectionEvent.IDLE);
      ctx.close();
    }
    ctx.fireUserEventTriggered(event);
  }

  exceptionCaught(ctx: ChannelHandlerContext, error: RemotingError): void {
    this.#tell(ctx, ConnectionEvent.EXCEPTION, error);
    void ctx.channel.close(error);
  }

  #tell(ctx: ChannelHandlerContext, event: ConnectionEvent, error?: RemotingError): void {
    const { channel, pipeline } = ctx;
    try {
      if (error === undefined) this.#listener(event, channel);
      else this.#listener(event, channel, error);
    } catch (thrown) {
      pipeline.report(
        RemotingError.from(thrown, 'HANDLER_FAILED', `the connection listener failed in ${event}`, {
          address: channel.remoteAddress,
        }),
      );
    }
  }
}
