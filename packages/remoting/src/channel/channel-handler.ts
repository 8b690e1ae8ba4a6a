import type { RemotingError } from '../errors.js';
import type { ChannelHandlerContext } from './channel-handler-context.js';

/** Told once when a write ended: without an error when the bytes were handed to the operating system. */
export type WriteListener = (error: RemotingError | undefined) => void;

/**
 * What sits in a {@link ChannelPipeline}. A handler implements the events it cares about; the rest pass it by without being called.
 *
 * Inbound events travel from the head to the tail, outbound ones from the tail to the head. A handler that implements an event
 * decides whether it goes on, with the method of the same name on `ctx` (`fireX` for inbound). All run in the turn of the event loop
 * that the event came in, one at a time for each channel.
 */
export interface ChannelHandler {
  /**
   * True for a handler that keeps nothing about its channel, so that one object may sit in many places. Without it an object can be in
   * one pipeline at a time, once; adding it again is refused, since two channels would mix their state in it.
   */
  readonly sharable?: boolean;
  /**
   * True for a handler whose `write` only passes its listener on, in one call of `ctx.write`, or throws before it. Others get a listener with a
   * guard, an object for each write, since they might call it themselves, or twice.
   */
  readonly passesListenerOn?: boolean;
  /**
   * True for a handler that needs the bytes it reads only until its `channelRead` returns, and passes none of them on. As the first one of a
   * pipeline it is lent the memory that the next read overwrites. Others get bytes of their own, a copy for each read.
   */
  readonly borrowsBytes?: boolean;

  /** Called once after the handler was added, before any event. */
  handlerAdded?(ctx: ChannelHandlerContext): void;
  /** Called once after the handler was removed; it gets no event after this. Release timers here. */
  handlerRemoved?(ctx: ChannelHandlerContext): void;

  /** Inbound: the connection stands. */
  channelActive?(ctx: ChannelHandlerContext): void;
  /** Inbound: the connection ended; comes once. */
  channelInactive?(ctx: ChannelHandlerContext): void;
  /** Inbound: bytes, or what an earlier handler made of them. */
  channelRead?(ctx: ChannelHandlerContext, message: unknown): void;
  /** Inbound: the bytes of this turn have all been read. */
  channelReadComplete?(ctx: ChannelHandlerContext): void;
  /** Inbound: `channel.isWritable` changed; once per edge. */
  channelWritabilityChanged?(ctx: ChannelHandlerContext): void;
  /** Inbound: anything a handler wants to tell those after it, for instance that the channel is idle. */
  userEventTriggered?(ctx: ChannelHandlerContext, event: unknown): void;
  /** Inbound: an earlier handler threw, or the socket failed. Without a handler for it, the channel is closed and the error reported. */
  exceptionCaught?(ctx: ChannelHandlerContext, error: RemotingError): void;

  /** Outbound: put a message on its way; `listener` must be passed on, or called once. */
  write?(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void;
  /** Outbound: hand everything written so far to the operating system. */
  flush?(ctx: ChannelHandlerContext): void;
  /** Outbound: close the connection after what was flushed. */
  close?(ctx: ChannelHandlerContext): void;
}
