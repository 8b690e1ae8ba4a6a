import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { decodeFrame } from '../codec/frame-codec.js';
import { FrameSplitter } from '../codec/frame-splitter.js';
import { DecodeError, FrameTooLargeError, RemotingError } from '../errors.js';

/** User event before `channelInactive`: the connection ended inside a frame, whose bytes are dropped. */
export interface TruncatedFrameEvent {
  readonly type: 'truncatedFrame';
  /** Bytes of the frame that had come, its length field included. */
  readonly bufferedBytes: number;
}

export interface FrameDecoderOptions {
  /** The longest frame taken, its four length bytes included. Default 16777216. */
  readonly maxFrameBytes?: number | undefined;
}

/**
 * Inbound: bytes become one {@link RemotingCommand} for each frame (upstream: `NettyDecoder`; reference: remoting 1.2).
 *
 * After a frame that does not decode nothing on the connection can be trusted: the commands before it have been passed on, the error
 * travels as `exceptionCaught`, the channel closes once what was flushed is out, nothing is written back, and later bytes are ignored.
 *
 * When a handler switches `autoRead` off, the frames that had come in the same chunk are still passed on; no more is read after them. When
 * a handler closes the channel or removes this decoder, they are not.
 */
export class FrameDecoder implements ChannelHandler {
  readonly #splitter: FrameSplitter;
  #failed = false;

  constructor(options: FrameDecoderOptions = {}) {
    this.#splitter = new FrameSplitter(options.maxFrameBytes);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (this.#failed) return;
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    this.#splitter.push(asBuffer(message));
    while (!ctx.isRemoved && ctx.channel.isActive) {
      const command = this.#next(ctx);
      if (command === undefined) return;
      ctx.fireChannelRead(command);
    }
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    const { bufferedBytes } = this.#splitter;
    if (bufferedBytes > 0 && !this.#failed) {
      const event: TruncatedFrameEvent = { type: 'truncatedFrame', bufferedBytes };
      ctx.fireUserEventTriggered(event);
    }
    ctx.fireChannelInactive();
  }

  #next(ctx: ChannelHandlerContext): unknown {
    try {
      const frame = this.#splitter.next();
      return frame === undefined ? undefined : decodeFrame(frame);
    } catch (thrown) {
      this.#failed = true;
      ctx.fireExceptionCaught(withAddress(thrown, ctx.channel.remoteAddress));
      ctx.close();
      return undefined;
    }
  }
}

function withAddress(thrown: unknown, address: string): RemotingError {
  const options = { address, cause: thrown };
  if (thrown instanceof FrameTooLargeError)
    return new FrameTooLargeError(thrown.frameBytes, thrown.maxFrameBytes, options);
  const { message } = RemotingError.from(thrown, 'DECODE_FAILED', 'the decoder failed');
  return new DecodeError(`bad frame from ${address}: ${message}`, options);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
