import { RemotingError } from '../errors.js';
import type { Channel } from './channel.js';
import type { ChannelHandler, WriteListener } from './channel-handler.js';
import type { ChannelHandlerContext } from './channel-handler-context.js';
import type { DefaultChannelPipeline } from './default-channel-pipeline.js';
import { EventMask, type EventName, eventMaskOf } from './event-mask.js';

/**
 * A link of the pipeline's list. An event goes straight to the next link whose mask has its bit.
 *
 * A removed link keeps its neighbours of that moment. An event that leaves it looks back (or ahead, for outbound ones) to the nearest link
 * that is still in the list and goes on from there: nobody is passed over, nobody is called twice.
 */
export class DefaultChannelHandlerContext implements ChannelHandlerContext {
  readonly name: string;
  readonly handler: ChannelHandler;
  readonly pipeline: DefaultChannelPipeline;
  /** For the pipeline only, as `next` and `isRemoved`'s setter are. */
  prev: DefaultChannelHandlerContext = this;
  next: DefaultChannelHandlerContext = this;
  isRemoved = false;
  readonly #mask: number;

  constructor(pipeline: DefaultChannelPipeline, name: string, handler: ChannelHandler) {
    this.pipeline = pipeline;
    this.name = name;
    this.handler = handler;
    this.#mask = eventMaskOf(handler);
  }

  get channel(): Channel {
    return this.pipeline.channel;
  }

  fireChannelActive(): void {
    const next = this.#inbound(EventMask.channelActive);
    try {
      next.handler.channelActive?.(next);
    } catch (thrown) {
      next.failed(thrown, 'channelActive');
    }
  }

  fireChannelInactive(): void {
    const next = this.#inbound(EventMask.channelInactive);
    try {
      next.handler.channelInactive?.(next);
    } catch (thrown) {
      next.failed(thrown, 'channelInactive');
    }
  }

  fireChannelRead(message: unknown): void {
    const next = this.#inbound(EventMask.channelRead);
    try {
      next.handler.channelRead?.(next, message);
    } catch (thrown) {
      next.failed(thrown, 'channelRead');
    }
  }

  fireChannelReadComplete(): void {
    const next = this.#inbound(EventMask.channelReadComplete);
    try {
      next.handler.channelReadComplete?.(next);
    } catch (thrown) {
      next.failed(thrown, 'channelReadComplete');
    }
  }

  fireChannelWritabilityChanged(): void {
    const next = this.#inbound(EventMask.channelWritabilityChanged);
    try {
      next.handler.channelWritabilityChanged?.(next);
    } catch (thrown) {
      next.failed(thrown, 'channelWritabilityChanged');
    }
  }

  fireUserEventTriggered(event: unknown): void {
    const next = this.#inbound(EventMask.userEventTriggered);
    try {
      next.handler.userEventTriggered?.(next, event);
    } catch (thrown) {
      next.failed(thrown, 'userEventTriggered');
    }
  }

  fireExceptionCaught(error: RemotingError): void {
    this.#inbound(EventMask.exceptionCaught).#invokeExceptionCaught(error);
  }

  write(message: unknown, listener?: WriteListener): void {
    const next = this.#outbound(EventMask.write);
    const told = listener === undefined || next.handler.passesListenerOn === true ? listener : once(listener);
    try {
      next.handler.write?.(next, message, told);
    } catch (thrown) {
      next.pipeline.settle(told, next.#failure(thrown, 'write'));
    }
  }

  flush(): void {
    const next = this.#outbound(EventMask.flush);
    try {
      next.handler.flush?.(next);
    } catch (thrown) {
      next.failed(thrown, 'flush');
    }
  }

  /** Whether what is written here goes to the channel, and no handler in between sees it. */
  get writesToChannel(): boolean {
    return this.pipeline.isHead(this.#outbound(EventMask.write));
  }

  writeAndFlush(message: unknown, listener?: WriteListener): void {
    this.write(message, listener);
    this.flush();
  }

  close(): void {
    const next = this.#outbound(EventMask.close);
    try {
      next.handler.close?.(next);
    } catch (thrown) {
      next.pipeline.report(next.#failure(thrown, 'close'));
      // A handler that fails must not keep the connection open.
      next.close();
    }
  }

  /** The handler that an inbound message comes to from here. */
  get nextReader(): ChannelHandler {
    return this.#inbound(EventMask.channelRead).handler;
  }

  /** Takes what this link's handler threw to its own `exceptionCaught`, or to the first one after it. */
  failed(thrown: unknown, event: EventName | 'handlerAdded' | 'handlerRemoved'): void {
    const error = this.#failure(thrown, event);
    if ((this.#mask & EventMask.exceptionCaught) !== 0 && !this.isRemoved) this.#invokeExceptionCaught(error);
    else this.fireExceptionCaught(error);
  }

  #invokeExceptionCaught(error: RemotingError): void {
    try {
      this.handler.exceptionCaught?.(this, error);
    } catch (thrown) {
      // No second round through the handlers, or one that always throws would be called for ever.
      if (thrown !== error) this.pipeline.report(this.#failure(thrown, 'exceptionCaught'));
      this.pipeline.uncaught(error);
    }
  }

  #failure(thrown: unknown, event: string): RemotingError {
    return RemotingError.from(thrown, 'HANDLER_FAILED', `handler ${this.name} failed in ${event}`, {
      address: this.channel.remoteAddress,
    });
  }

  #inbound(bit: number): DefaultChannelHandlerContext {
    let at: DefaultChannelHandlerContext = this;
    while (at.isRemoved) at = at.prev;
    do at = at.next;
    while ((at.#mask & bit) === 0);
    return at;
  }

  #outbound(bit: number): DefaultChannelHandlerContext {
    let at: DefaultChannelHandlerContext = this;
    while (at.isRemoved) at = at.next;
    do at = at.prev;
    while ((at.#mask & bit) === 0);
    return at;
  }
}

const guarded = new WeakSet<WriteListener>();

/** A listener that can be called once; one that is so already is taken as it is. */
function once(listener: WriteListener): WriteListener {
  if (guarded.has(listener)) return listener;
  let called = false;
  const guard: WriteListener = (error) => {
    if (called) return;
    called = true;
    listener(error);
  };
  guarded.add(guard);
  return guard;
}
