import { leavingSlab, sharedSlab } from '../buffer/slab.js';
import type { ChannelHandler, WriteListener } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { DefaultChannelHandlerContext } from '../channel/default-channel-handler-context.js';
import { encodeFrameParts } from '../codec/frame-codec.js';
import { RemotingCommand } from '../command/remoting-command.js';
import { FrameTooLargeError, RemotingError, type RemotingErrorOptions } from '../errors.js';
import { noteFrameBytes } from '../frame-bytes.js';

export interface FrameEncoderOptions {
  /** The longest frame sent, its four length bytes included. Default 16777216, above which a peer would close the connection. */
  readonly maxFrameBytes?: number | undefined;
}

/**
 * Outbound: a {@link RemotingCommand} becomes the bytes of its frame; anything else passes through (upstream: `NettyEncoder`).
 *
 * A command that cannot be encoded (`ENCODE_FAILED`) or is too long (`FRAME_TOO_LARGE`, checked here since upstream's peers close on it;
 * reference: remoting 1.3) fails its own write before a byte of it is written. The connection goes on, unlike upstream.
 */
export class FrameEncoder implements ChannelHandler {
  readonly sharable = true;
  readonly passesListenerOn = true;
  readonly #maxFrameBytes: number;

  constructor(options: FrameEncoderOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? 16 * 1024 * 1024;
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    // The pipeline takes what is thrown here to the listener.
    ctx.write(message instanceof RemotingCommand ? this.#encode(ctx, message) : message, listener);
  }

  #encode(ctx: ChannelHandlerContext, command: RemotingCommand): Buffer | Buffer[] {
    let frame: Buffer | Buffer[];
    try {
      // A handler in between may keep what it sees.
      frame = encodeFrameParts(command, writesToChannel(ctx) ? leavingSlab : sharedSlab);
    } catch (thrown) {
      const message = `the command with code ${command.code} cannot be encoded`;
      throw RemotingError.from(thrown, 'ENCODE_FAILED', message, at(ctx, command));
    }
    const frameBytes = Array.isArray(frame) ? frame.reduce((sum, part) => sum + part.length, 0) : frame.length;
    if (frameBytes > this.#maxFrameBytes)
      throw new FrameTooLargeError(frameBytes, this.#maxFrameBytes, at(ctx, command));
    noteFrameBytes(command, frameBytes);
    return frame;
  }
}

function writesToChannel(ctx: ChannelHandlerContext): boolean {
  return ctx instanceof DefaultChannelHandlerContext && ctx.writesToChannel;
}

function at(ctx: ChannelHandlerContext, command: RemotingCommand): RemotingErrorOptions {
  return { address: ctx.channel.remoteAddress, opaque: command.opaque };
}
