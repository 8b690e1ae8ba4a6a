import { RemotingError } from '../errors.js';
import type { Channel } from './channel.js';
import type { ChannelHandler, WriteListener } from './channel-handler.js';
import type { ChannelHandlerContext } from './channel-handler-context.js';
import type { ChannelPipeline } from './channel-pipeline.js';
import { DefaultChannelHandlerContext } from './default-channel-handler-context.js';

/** What lies beyond a pipeline's two ends: the channel that it belongs to. One object serves all channels of a kind. */
export interface PipelineEnds {
  /** Past the head: take a message; call `listener` once and throw nothing. */
  write(channel: Channel, message: unknown, listener?: WriteListener): void;
  flush(channel: Channel): void;
  close(channel: Channel): void;
  /** Past the tail: an error that no handler took. The channel reports it and ends with it. */
  uncaught(channel: Channel, error: RemotingError): void;
  /** Past the tail: a message that no handler took. It is dropped. */
  unhandled(channel: Channel, message: unknown): void;
  /** An error that concerns nobody in the pipeline, such as one thrown by a write listener. The channel goes on. */
  report(channel: Channel, error: RemotingError): void;
}

/** Handlers that sit in a pipeline now and may not sit in a second place. */
const seated = new WeakSet<ChannelHandler>();

/** The {@link ChannelPipeline} of every channel (upstream: Netty's `DefaultChannelPipeline`). */
export class DefaultChannelPipeline implements ChannelPipeline {
  readonly channel: Channel;
  /** For its two ends. */
  readonly ends: PipelineEnds;
  readonly #head: DefaultChannelHandlerContext;
  readonly #tail: DefaultChannelHandlerContext;

  constructor(channel: Channel, ends: PipelineEnds) {
    this.channel = channel;
    this.ends = ends;
    this.#head = new DefaultChannelHandlerContext(this, 'head', headHandler);
    this.#tail = new DefaultChannelHandlerContext(this, 'tail', tailHandler);
    this.#head.next = this.#tail;
    this.#tail.prev = this.#head;
  }

  addLast(name: string, handler: ChannelHandler): this {
    return this.#add(this.#tail.prev, name, handler);
  }

  addFirst(name: string, handler: ChannelHandler): this {
    return this.#add(this.#head, name, handler);
  }

  addBefore(base: string, name: string, handler: ChannelHandler): this {
    return this.#add(this.#require(base).prev, name, handler);
  }

  addAfter(base: string, name: string, handler: ChannelHandler): this {
    return this.#add(this.#require(base), name, handler);
  }

  replace(old: string, name: string, handler: ChannelHandler): ChannelHandler {
    const leaving = this.#require(old);
    if (name !== old) this.#requireFree(name);
    seat(handler, name);
    const prev = leaving.prev;
    this.#unlink(leaving);
    const entering = this.#link(prev, name, handler);
    // The new one first: when the old one passes on what it has kept, somebody is there to take it.
    this.#callHandlerAdded(entering);
    this.#callHandlerRemoved(leaving);
    return leaving.handler;
  }

  remove(name: string): ChannelHandler {
    const leaving = this.#require(name);
    this.#unlink(leaving);
    this.#callHandlerRemoved(leaving);
    return leaving.handler;
  }

  get(name: string): ChannelHandler | undefined {
    return this.context(name)?.handler;
  }

  context(name: string): DefaultChannelHandlerContext | undefined {
    // A pipeline has a handful of handlers, and every connection one: a table of them would take more than it saves.
    for (let at = this.#head.next; at !== this.#tail; at = at.next) if (at.name === name) return at;
    return undefined;
  }

  isHead(context: DefaultChannelHandlerContext): boolean {
    return context === this.#head;
  }

  names(): string[] {
    const names: string[] = [];
    for (let at = this.#head.next; at !== this.#tail; at = at.next) names.push(at.name);
    return names;
  }

  /** The handler that sees first what the channel reads. */
  get firstReader(): ChannelHandler {
    return this.#head.nextReader;
  }

  fireChannelActive(): void {
    this.#head.fireChannelActive();
  }

  fireChannelInactive(): void {
    this.#head.fireChannelInactive();
  }

  fireChannelRead(message: unknown): void {
    this.#head.fireChannelRead(message);
  }

  fireChannelReadComplete(): void {
    this.#head.fireChannelReadComplete();
  }

  fireChannelWritabilityChanged(): void {
    this.#head.fireChannelWritabilityChanged();
  }

  fireUserEventTriggered(event: unknown): void {
    this.#head.fireUserEventTriggered(event);
  }

  fireExceptionCaught(error: RemotingError): void {
    this.#head.fireExceptionCaught(error);
  }

  /** Outbound from the tail; for the channel. */
  write(message: unknown, listener?: WriteListener): void {
    this.#tail.write(message, listener);
  }

  /** Outbound from the tail; for the channel. */
  flush(): void {
    this.#tail.flush();
  }

  /** Outbound from the tail; for the channel. */
  close(): void {
    this.#tail.close();
  }

  /** Takes every handler out, from the tail to the head, when the channel has ended: timers are released, no event reaches them. */
  destroy(): void {
    for (let at = this.#tail.prev; at !== this.#head; at = this.#tail.prev) {
      this.#unlink(at);
      this.#callHandlerRemoved(at);
    }
  }

  /** Tells a write's listener; what the listener throws is reported. A failure that has no listener is reported itself. */
  settle(listener: WriteListener | undefined, error: RemotingError | undefined): void {
    if (listener === undefined) {
      if (error !== undefined) this.report(error);
      return;
    }
    try {
      listener(error);
    } catch (thrown) {
      this.report(
        RemotingError.from(thrown, 'HANDLER_FAILED', 'a write listener failed', {
          address: this.channel.remoteAddress,
        }),
      );
    }
  }

  report(error: RemotingError): void {
    this.ends.report(this.channel, error);
  }

  uncaught(error: RemotingError): void {
    this.ends.uncaught(this.channel, error);
  }

  #add(prev: DefaultChannelHandlerContext, name: string, handler: ChannelHandler): this {
    this.#requireFree(name);
    seat(handler, name);
    this.#callHandlerAdded(this.#link(prev, name, handler));
    return this;
  }

  #link(prev: DefaultChannelHandlerContext, name: string, handler: ChannelHandler): DefaultChannelHandlerContext {
    const context = new DefaultChannelHandlerContext(this, name, handler);
    context.prev = prev;
    context.next = prev.next;
    prev.next.prev = context;
    prev.next = context;
    return context;
  }

  #unlink(context: DefaultChannelHandlerContext): void {
    context.prev.next = context.next;
    context.next.prev = context.prev;
    context.isRemoved = true;
    seated.delete(context.handler);
  }

  #callHandlerAdded(context: DefaultChannelHandlerContext): void {
    try {
      context.handler.handlerAdded?.(context);
    } catch (thrown) {
      // Half prepared it must not see an event.
      if (!context.isRemoved) {
        this.#unlink(context);
        this.#callHandlerRemoved(context);
      }
      context.failed(thrown, 'handlerAdded');
    }
  }

  #callHandlerRemoved(context: DefaultChannelHandlerContext): void {
    try {
      context.handler.handlerRemoved?.(context);
    } catch (thrown) {
      context.failed(thrown, 'handlerRemoved');
    }
  }

  #require(name: string): DefaultChannelHandlerContext {
    const context = this.context(name);
    if (context !== undefined) return context;
    throw new RemotingError(
      'INVALID_ARGUMENT',
      `the pipeline has no handler named ${name}; it has: ${this.names().join(', ') || 'none'}`,
    );
  }

  #requireFree(name: string): void {
    if (this.context(name) === undefined) return;
    throw new RemotingError(
      'INVALID_ARGUMENT',
      `the pipeline has a handler named ${name} already; choose another name`,
    );
  }
}

function seat(handler: ChannelHandler, name: string): void {
  if (handler.sharable === true) return;
  if (seated.has(handler)) {
    throw new RemotingError(
      'INVALID_ARGUMENT',
      `handler ${name} sits in a pipeline already; make a new one for each channel, or set sharable = true if it keeps no state`,
    );
  }
  seated.add(handler);
}

function endsOf({ pipeline }: ChannelHandlerContext): PipelineEnds {
  return (pipeline as DefaultChannelPipeline).ends;
}

const headHandler: ChannelHandler = {
  passesListenerOn: true,
  write: (ctx, message, listener) => endsOf(ctx).write(ctx.channel, message, listener),
  flush: (ctx) => endsOf(ctx).flush(ctx.channel),
  close: (ctx) => endsOf(ctx).close(ctx.channel),
};

const tailHandler: ChannelHandler = {
  channelActive() {},
  channelInactive() {},
  channelRead: (ctx, message) => endsOf(ctx).unhandled(ctx.channel, message),
  channelReadComplete() {},
  channelWritabilityChanged() {},
  userEventTriggered() {},
  exceptionCaught: (ctx, error) => endsOf(ctx).uncaught(ctx.channel, error),
};
