import type { Channel } from './channel.js';
import type { ChannelHandler, WriteListener } from './channel-handler.js';
import type { ChannelInboundInvoker } from './channel-inbound-invoker.js';
import type { ChannelPipeline } from './channel-pipeline.js';

/** A handler's place in its pipeline, and the way to its neighbours. */
export interface ChannelHandlerContext extends ChannelInboundInvoker {
  /** Unique in the pipeline. */
  readonly name: string;
  readonly handler: ChannelHandler;
  readonly channel: Channel;
  readonly pipeline: ChannelPipeline;
  /**
   * True once the handler has left the pipeline. The methods below still work: they go on from where the handler stood, so a handler can
   * take itself out and then pass on the bytes it has kept.
   */
  readonly isRemoved: boolean;

  write(message: unknown, listener?: WriteListener): void;
  flush(): void;
  writeAndFlush(message: unknown, listener?: WriteListener): void;
  close(): void;
}
