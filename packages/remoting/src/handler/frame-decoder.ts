import { inFreshContext } from '../async-context.js';
import { asBuffer } from '../buffer/as-buffer.js';
import type { Channel } from '../channel/channel.js';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { isReadResumedEvent } from '../channel/read-resumed-event.js';
import { type Clock, systemClock } from '../clock.js';
import { decodeFrame, decodeFrameInPieces } from '../codec/frame-codec.js';
import { FrameSplitter } from '../codec/frame-splitter.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { DecodeError, DecodeErrorKind, FrameTooLargeError, RemotingError } from '../errors.js';
import { noteFrameBytes, watchFrameBytes } from '../frame-bytes.js';
import type { FrameBudget, FrameHolder } from './frame-budget.js';
import { FrameDeadline } from './frame-deadline.js';
import { messagesHeld, messagesWanted } from './message-hold-events.js';

/** Frames that are passed on between two looks at the clock while they go fast: a look costs a tenth of a cheap request. */
const FRAMES_PER_LOOK = 8;
/** What waits is looked at from its first frame on when it is more than this. */
const LARGE_BYTES = 64 * 1024;
/** From here on a frame goes slowly: to pass several without a look would take a good part of the turn. */
const SLOW_FRAME_MILLIS = 0.1;

/** User event before `channelInactive`: the connection ended before a frame was whole or could be passed on; its bytes are dropped. */
export interface TruncatedFrameEvent {
  readonly type: 'truncatedFrame';
  /** Bytes that had come and were not passed on, length fields included. */
  readonly bufferedBytes: number;
}

export function isTruncatedFrameEvent(event: unknown): event is TruncatedFrameEvent {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'truncatedFrame';
}

/**
 * Sees a frame before it is decoded: without its four length bytes it lies in `bytes` from `start` to `end`, which are lent: once it returns they
 * are overwritten. True when it dealt with it: then it is not decoded and goes no further.
 * Frames of more than 64 KiB that came in several chunks are not shown: they would have to be joined for it.
 * The answer is its own affair (`ctx.channel.writeAndFlush`). What it throws travels as `exceptionCaught` and closes the channel.
 */
export type FrameInterceptor = (ctx: ChannelHandlerContext, bytes: Buffer, start: number, end: number) => boolean;

export interface FrameDecoderOptions {
  /** The longest frame taken, its four length bytes included. Default 16777216. */
  readonly maxFrameBytes?: number | undefined;
  /**
   * The longest header taken. Default 262144: to read a JSON header costs far more than its bytes, and real ones hold 32 KiB of properties
   * at most, which quoting as JSON can make six times as long. Large things travel in the body.
   */
  readonly maxHeaderBytes?: number | undefined;
  /** How long a frame may take from its first byte to its last while the channel reads. Default 60000; 0 switches the limit off. */
  readonly frameTimeoutMillis?: number | undefined;
  /** How many frames are passed on before other channels have their turn. Default 256. */
  readonly maxFramesPerTurn?: number | undefined;
  /** How long frames are passed on before other channels have their turn. Default 5; a turn of the event loop may have two such times. */
  readonly maxMillisPerTurn?: number | undefined;
  /**
   * Whether frames are passed on while the channel is not writable, too; default false. For the side whose peer keeps requests back while its
   * answers wait: if both sides did, two that send each other more than fits would wait for each other.
   */
  readonly passesWhileUnwritable?: boolean | undefined;
  /** Runs a task in a later turn of the event loop; default `setImmediate`, after the other sockets' events. */
  readonly nextTurn?: ((task: () => void) => void) | undefined;
  /** For a request that can be answered from its bytes, faster than by decoding it. */
  readonly interceptFrame?: FrameInterceptor | undefined;
  /** Bounds what this decoder and others hold together; default nothing does. */
  readonly budget?: FrameBudget | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * Inbound: bytes become one {@link RemotingCommand} for each frame (upstream: `NettyDecoder`; reference: remoting 1.2).
 *
 * While the channel is not writable, its `autoRead` is off or the dispatcher takes no more, no frame is passed on, and while frames
 * are kept back nothing more is read: one chunk can hold thousands of small requests whose answers are large. They follow, in order and
 * in a later turn, once the channel is writable and reads again; so they do when the turn's share of frames or time is used up. What is
 * kept is one chunk and what the socket had read ahead, beside a frame that is not whole.
 *
 * After a frame that does not decode nothing on the connection can be trusted: the commands before it have been passed on, the error
 * travels as `exceptionCaught`, the channel closes once what was flushed is out, nothing is written back, and later bytes are ignored. So it
 * does with a frame that is not whole in time, as a peer must not hold memory for ever, and by the option `budget` with frames that are
 * not whole when all connections together hold too much.
 *
 * When a handler closes the channel or removes this decoder, the frames behind are not passed on.
 */
export class FrameDecoder implements ChannelHandler {
  readonly borrowsBytes = true;
  #splitter: FrameSplitter;
  readonly #maxHeaderBytes: number;
  readonly #frameTimeoutMillis: number;
  readonly #maxFramesPerTurn: number;
  readonly #maxMillisPerTurn: number;
  readonly #nextTurn: (task: () => void) => void;
  readonly #interceptFrame: FrameInterceptor | undefined;
  readonly #clock: Clock;
  readonly #budget: FrameBudget | undefined;
  #holder: FrameHolder | undefined;
  readonly #passesWhileUnwritable: boolean;
  #deadline: FrameDeadline | undefined;
  #failed = false;
  #passing = false;
  /** Frames are kept back, and the channel reads no more. */
  #holding = false;
  #turnBooked = false;
  /** The handler at the end takes none for now. */
  #unwanted = false;

  constructor(options: FrameDecoderOptions = {}) {
    this.#splitter = new FrameSplitter(options.maxFrameBytes);
    this.#maxHeaderBytes = options.maxHeaderBytes ?? 256 * 1024;
    this.#frameTimeoutMillis = options.frameTimeoutMillis ?? 60_000;
    this.#maxFramesPerTurn = options.maxFramesPerTurn ?? 256;
    this.#maxMillisPerTurn = options.maxMillisPerTurn ?? 5;
    this.#passesWhileUnwritable = options.passesWhileUnwritable ?? false;
    this.#nextTurn = options.nextTurn ?? nextTurn;
    this.#interceptFrame = options.interceptFrame;
    this.#clock = options.clock ?? systemClock;
    this.#budget = options.budget;
  }

  handlerRemoved(ctx: ChannelHandlerContext): void {
    this.#deadline?.stop();
    this.#deadline = undefined;
    this.#account(ctx, 0);
    this.#holder = undefined;
    this.#release(ctx);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (this.#failed) return;
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    this.#splitter.push(asBuffer(message));
    // What comes from within a handler is found by the loop that called it.
    if (!this.#holding && !this.#passing) this.#passFrames(ctx, false);
    this.#splitter.keepLent();
    this.#account(ctx, this.#splitter.bufferedBytes);
  }

  channelWritabilityChanged(ctx: ChannelHandlerContext): void {
    ctx.fireChannelWritabilityChanged();
    this.#bookTurn(ctx);
  }

  userEventTriggered(ctx: ChannelHandlerContext, event: unknown): void {
    ctx.fireUserEventTriggered(event);
    if (event === messagesHeld) this.#unwanted = true;
    else if (event === messagesWanted) this.#unwanted = false;
    else if (!isReadResumedEvent(event)) return;
    // The time in which nothing was read was not the peer's.
    if (this.#deadline?.isRunning === true) this.#deadline.start();
    this.#bookTurn(ctx);
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#deadline?.stop();
    this.#account(ctx, 0);
    const { bufferedBytes } = this.#splitter;
    if (bufferedBytes > 0 && !this.#failed) {
      const event: TruncatedFrameEvent = { type: 'truncatedFrame', bufferedBytes };
      ctx.fireUserEventTriggered(event);
    }
    ctx.fireChannelInactive();
  }

  /** Passes frames on until none is whole, the channel takes no more, or the turn's share is used up. */
  #passFrames(ctx: ChannelHandlerContext, resumed: boolean): void {
    const { channel } = ctx;
    let passed = 0;
    // A lone frame in its chunk, as most come, pays for no look at the clock, and of others only some do. A large one may take its time.
    let nextLook = this.#splitter.bufferedBytes > LARGE_BYTES ? 0 : 1;
    const firstLook = nextLook;
    let lastLook = 0;
    let lastLookMillis = 0;
    let endMillis = 0;
    let kept = false;
    this.#passing = true;
    watchFrameBytes();
    while (this.#splitter.bufferedBytes > 0 && this.#isOpen(ctx)) {
      if (passed === nextLook) {
        const nowMillis = this.#clock.monotonic();
        if (passed === firstLook) endMillis = nowMillis + this.#maxMillisPerTurn;
        else if (nowMillis >= endMillis) kept = true;
        const wentFast = nowMillis - lastLookMillis < SLOW_FRAME_MILLIS * (passed - lastLook);
        lastLook = passed;
        lastLookMillis = nowMillis;
        nextLook += passed > 3 && wentFast ? FRAMES_PER_LOOK : 1;
      }
      kept ||= passed >= this.#maxFramesPerTurn || !this.#mayPass(channel);
      if (kept || !this.#passFrame(ctx)) break;
      passed++;
    }
    this.#passing = false;
    this.#splitter.release();
    if (resumed && passed > 0 && this.#isOpen(ctx)) ctx.fireChannelReadComplete();
    if (!this.#isOpen(ctx)) return;
    if (kept) {
      this.#hold(ctx);
      return;
    }
    this.#watchFrame(ctx, passed > 0 || resumed);
    this.#release(ctx);
  }

  /** False when no frame is whole, or one was bad. */
  #passFrame(ctx: ChannelHandlerContext): boolean {
    let command: RemotingCommand;
    try {
      const splitter = this.#splitter;
      if (!splitter.advance()) return false;
      const pieces = splitter.framePieces;
      if (pieces !== undefined) {
        command = decodeFrameInPieces(pieces, this.#maxHeaderBytes, splitter.framePages);
      } else {
        if (this.#interceptFrame !== undefined && this.#intercepts(ctx, this.#interceptFrame)) return true;
        splitter.ownFrame();
        command = decodeFrame(splitter.frame, this.#maxHeaderBytes, splitter.frameStart, splitter.frameEnd);
      }
      noteFrameBytes(command, 4 + splitter.frameEnd - splitter.frameStart);
    } catch (thrown) {
      this.#fail(ctx, withAddress(thrown, ctx.channel.remoteAddress));
      return false;
    }
    ctx.fireChannelRead(command);
    return true;
  }

  #intercepts(ctx: ChannelHandlerContext, intercept: FrameInterceptor): boolean {
    const { frame, frameStart, frameEnd } = this.#splitter;
    try {
      return intercept(ctx, frame, frameStart, frameEnd);
    } catch (thrown) {
      const address = ctx.channel.remoteAddress;
      this.#fail(ctx, RemotingError.from(thrown, 'HANDLER_FAILED', 'the frame interceptor failed', { address }));
      return true;
    }
  }

  #isOpen(ctx: ChannelHandlerContext): boolean {
    return !this.#failed && !ctx.isRemoved && ctx.channel.isActive;
  }

  #mayPass(channel: Channel): boolean {
    return (channel.isWritable || this.#passesWhileUnwritable) && channel.autoRead && !this.#unwanted;
  }

  #hold(ctx: ChannelHandlerContext): void {
    this.#deadline?.pause();
    if (!this.#holding) {
      this.#holding = true;
      ctx.channel.holdReads();
    }
    this.#bookTurn(ctx);
  }

  #release(ctx: ChannelHandlerContext): void {
    if (!this.#holding) return;
    this.#holding = false;
    ctx.channel.releaseReads();
  }

  /** In a turn of its own: the channel calls from amid its writing, and other channels wait. */
  #bookTurn(ctx: ChannelHandlerContext): void {
    if (!this.#holding || this.#turnBooked || !this.#mayPass(ctx.channel)) return;
    this.#turnBooked = true;
    this.#nextTurn(() => {
      this.#turnBooked = false;
      if (!this.#holding || !this.#isOpen(ctx)) return;
      this.#passFrames(ctx, true);
      this.#account(ctx, this.#splitter.bufferedBytes);
    });
  }

  #account(ctx: ChannelHandlerContext, bufferedBytes: number): void {
    if (this.#budget === undefined || (this.#holder?.bufferedBytes ?? 0) === bufferedBytes) return;
    // Made for the first frame that does not come whole: most connections never need it.
    this.#holder ??= {
      bufferedBytes: 0,
      sinceMillis: 0,
      evict: (evictedBytes: number): void => this.#evicted(ctx, evictedBytes),
    };
    // Nothing is held for a connection that has failed or ended, whatever came since.
    this.#budget.update(this.#holder, this.#failed ? 0 : bufferedBytes);
  }

  #watchFrame(ctx: ChannelHandlerContext, isAnother: boolean): void {
    if (this.#splitter.bufferedBytes === 0) {
      this.#deadline?.pause();
      return;
    }
    this.#deadline ??= new FrameDeadline(this.#clock, this.#frameTimeoutMillis, () => this.#expired(ctx));
    if (isAnother || !this.#deadline.isRunning) this.#deadline.start();
  }

  #expired(ctx: ChannelHandlerContext): void {
    const { channel } = ctx;
    if (!this.#mayPass(channel)) {
      this.#deadline?.start();
      return;
    }
    const address = channel.remoteAddress;
    const { bufferedBytes } = this.#splitter;
    // Not kept until the close is through.
    this.#splitter = new FrameSplitter();
    this.#fail(
      ctx,
      new DecodeError(
        `${address} sent ${bufferedBytes} bytes of a frame and not its end within ${this.#frameTimeoutMillis} ms; the connection is closed to free them`,
        { address, kind: DecodeErrorKind.SLOW_FRAME },
      ),
    );
  }

  #evicted(ctx: ChannelHandlerContext, bufferedBytes: number): void {
    const address = ctx.channel.remoteAddress;
    const { maxBufferedBytes } = this.#budget ?? {};
    this.#splitter = new FrameSplitter();
    this.#fail(
      ctx,
      new DecodeError(
        `${address} left ${bufferedBytes} bytes of frames unfinished while all connections together held more than maxBufferedBytes, ${maxBufferedBytes}; the connection is closed to free them`,
        { address, kind: DecodeErrorKind.OVER_BUDGET },
      ),
    );
  }

  #fail(ctx: ChannelHandlerContext, error: RemotingError): void {
    this.#failed = true;
    this.#account(ctx, 0);
    this.#deadline?.stop();
    ctx.fireExceptionCaught(error);
    void ctx.channel.close(error);
  }
}

/** Frames are handled in nobody's context, also when a write of somebody's made the room for them. */
function nextTurn(task: () => void): void {
  inFreshContext(() => setImmediate(task));
}

function withAddress(thrown: unknown, address: string): RemotingError {
  const options = { address, cause: thrown };
  if (thrown instanceof FrameTooLargeError)
    return new FrameTooLargeError(thrown.frameBytes, thrown.maxFrameBytes, options, thrown.opening);
  const { message } = RemotingError.from(thrown, 'DECODE_FAILED', 'the decoder failed');
  const kind = thrown instanceof DecodeError ? thrown.kind : undefined;
  return new DecodeError(`bad frame from ${address}: ${message}`, { ...options, kind });
}
