import { asBuffer } from '../buffer/as-buffer.js';
import type { ChannelHandler, WriteListener } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type DescribeFrameOptions, describeFrame } from '../codec/describe-frame.js';
import { withLength } from '../codec/frame-codec.js';
import { FrameSplitter } from '../codec/frame-splitter.js';
import { textOfThrown } from '../errors.js';

export interface FrameLoggerOptions extends DescribeFrameOptions {
  /** Gets a line for each frame; must not throw. */
  readonly log: (line: string) => void;
  /** The longest frame that is put together; default 16777216, the four length bytes included. */
  readonly maxFrameBytes?: number | undefined;
}

/**
 * Writes a line for each frame that comes in (`<`) or goes out (`>`), and changes nothing; to look at what peers say to each other.
 *
 * It belongs before `frameDecoder`, behind TLS, where all bytes are those of frames: so it sees bad ones too, and answers that were not
 * encoded here. It decodes every frame once more, so it is not for production.
 */
export class FrameLogger implements ChannelHandler {
  readonly passesListenerOn = true;
  readonly #options: FrameLoggerOptions;
  #inbound: FrameSplitter | undefined;
  #outbound: FrameSplitter | undefined;

  constructor(options: FrameLoggerOptions) {
    this.#options = options;
    this.#inbound = new FrameSplitter(options.maxFrameBytes);
    this.#outbound = new FrameSplitter(options.maxFrameBytes);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (this.#inbound !== undefined && !this.#look(this.#inbound, ctx, '<', message)) this.#inbound = undefined;
    ctx.fireChannelRead(message);
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    if (this.#outbound !== undefined && !this.#look(this.#outbound, ctx, '>', message)) this.#outbound = undefined;
    ctx.write(message, listener);
  }

  /** False when nothing can be read out of this direction any more. */
  #look(splitter: FrameSplitter, ctx: ChannelHandlerContext, direction: '<' | '>', message: unknown): boolean {
    const say = (text: string): void => this.#options.log(`${direction} ${ctx.channel.remoteAddress} ${text}`);
    try {
      for (const part of Array.isArray(message) ? message : [message])
        if (part instanceof Uint8Array) splitter.push(asBuffer(part));
      for (let frame = splitter.next(); frame !== undefined; frame = splitter.next())
        say(describeFrame(withLength(frame), this.#options));
      splitter.release();
      return true;
    } catch (error) {
      const reason = textOfThrown(error);
      say(`no frame: ${reason}; what follows in this direction is not shown`);
      return false;
    }
  }
}
