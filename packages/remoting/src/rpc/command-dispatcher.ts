import { setMaxListeners } from 'node:events';
import type { Channel } from '../channel/channel.js';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { DecodeErrorKind } from '../errors.js';
import { isTruncatedFrameEvent } from '../handler/frame-decoder.js';
import type { RemotingCore } from './remoting-core.js';
import type { RequestContext } from './request-processor.js';

/** The last handler of a pipeline: hands commands to the core, and ends the calls of a channel that closes. One for each channel. */
export class CommandDispatcher implements ChannelHandler {
  readonly #core: RemotingCore;
  #context: ConnectionContext | undefined;

  constructor(core: RemotingCore) {
    this.#core = core;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    this.#context = new ConnectionContext(ctx.channel);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (message instanceof RemotingCommand && this.#context !== undefined)
      this.#core.processMessageReceived(this.#context, message);
    else ctx.fireChannelRead(message);
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

class ConnectionContext implements RequestContext {
  readonly channel: Channel;
  #abort: AbortController | undefined;
  #ended = false;

  constructor(channel: Channel) {
    this.channel = channel;
  }

  /** Made when first asked for: most processors never do, and idle connections should cost little. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // Every request that waits for something may listen to it: no leak to warn of.
      setMaxListeners(0, this.#abort.signal);
      if (this.#ended) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  end(): void {
    this.#ended = true;
    this.#abort?.abort();
  }
}
