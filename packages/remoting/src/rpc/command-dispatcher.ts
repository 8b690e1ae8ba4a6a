import { setMaxListeners } from 'node:events';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { RemotingCommand } from '../command/remoting-command.js';
import type { RemotingCore } from './remoting-core.js';
import type { RequestContext } from './request-processor.js';

/**
 * The last handler of a pipeline: hands commands to the core, and ends the calls of a channel that closes. One for each channel;
 * it is the {@link RequestContext} of that channel's requests.
 */
export class CommandDispatcher implements ChannelHandler {
  readonly #core: RemotingCore;
  readonly #abort = new AbortController();
  #context: RequestContext | undefined;

  constructor(core: RemotingCore) {
    this.#core = core;
    // Every request that waits for something listens to it, and a connection may have any number of those: no leak to warn of.
    setMaxListeners(0, this.#abort.signal);
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    this.#context = { channel: ctx.channel, signal: this.#abort.signal };
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (message instanceof RemotingCommand && this.#context !== undefined)
      this.#core.processMessageReceived(this.#context, message);
    else ctx.fireChannelRead(message);
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#abort.abort();
    this.#core.failFast(ctx.channel, undefined);
    ctx.fireChannelInactive();
  }
}
