import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { DecodeErrorKind } from '../errors.js';
import { isTruncatedFrameEvent } from '../handler/frame-decoder.js';
import { ConnectionContext } from './connection-context.js';
import type { RemotingCore } from './remoting-core.js';

/** The last handler of a pipeline: hands commands to the core, and ends the calls of a channel that closes. One for each channel. */
export class CommandDispatcher implements ChannelHandler {
  readonly #core: RemotingCore;
  #context: ConnectionContext | undefined;

  constructor(core: RemotingCore) {
    this.#core = core;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    this.#context = new ConnectionContext(ctx.channel, this.#core.requests.maxInFlightPerChannel);
    this.#core.requests.connections.add(this.#context);
  }

  handlerRemoved(): void {
    if (this.#context !== undefined) this.#core.requests.connections.delete(this.#context);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (message instanceof RemotingCommand && this.#context !== undefined)
      this.#core.processMessageReceived(this.#context, message);
    else ctx.fireChannelRead(message);
  }

  channelReadComplete(ctx: ChannelHandlerContext): void {
    // Else the answers of those that are under way may come in this turn, and share a call with those that are there.
    if (this.#context?.inFlight === 0) ctx.channel.flushNow();
    ctx.fireChannelReadComplete();
  }

  userEventTriggered(ctx: ChannelHandlerContext, event: unknown): void {
    if (isTruncatedFrameEvent(event)) this.#core.counterTable.decodeFailed(DecodeErrorKind.TRUNCATED_FRAME);
    ctx.fireUserEventTriggered(event);
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#context?.end();
    this.#core.calls.failFast(ctx.channel, undefined);
    ctx.fireChannelInactive();
  }
}
