import type { RemotingError } from '../errors.js';
import type { ChannelHandler } from './channel-handler.js';
import type { ChannelHandlerContext } from './channel-handler-context.js';
import type { ChannelInboundInvoker } from './channel-inbound-invoker.js';

/**
 * The list of a channel's handlers, and the way of its events through them (upstream: Netty's `ChannelPipeline`).
 *
 * ```
 *                      handlers, and the channel's owner
 *        fireChannelRead, ... of the last         channel.write, flush, close
 *                       ^                                  |
 *  +--------------------+----------------------------------+------------------+
 *  |  tail              |                                  v                  |
 *  |            +-------+--------+                 +----------------+         |
 *  |            | inbound    5   |  one object     | outbound   5   |         |
 *  |            +-------+--------+                 +-------+--------+         |
 *  |                    ^                                  v                  |
 *  |                    |                          +----------------+         |
 *  |                    |                          | outbound   4   |         |
 *  |                    |                          +-------+--------+         |
 *  |                    |                                  v                  |
 *  |                    |                          +----------------+         |
 *  |                    |                          | outbound   3   |         |
 *  |                    |                          +-------+--------+         |
 *  |            +-------+--------+                         |                  |
 *  |            | inbound    2   |                         |                  |
 *  |            +-------+--------+                         |                  |
 *  |                    ^                                  |                  |
 *  |            +-------+--------+                         |                  |
 *  |            | inbound    1   |                         |                  |
 *  |            +-------+--------+                         |                  |
 *  |  head              ^                                  v                  |
 *  +--------------------+----------------------------------+------------------+
 *                       |                                  |
 *                 bytes read                        bytes written
 * ```
 *
 * **Order.** Let these be added, in this order, with `addLast`: handlers 1 and 2 that implement inbound events, 3 and 4 that implement
 * outbound ones, and 5 that implements both. An inbound event is evaluated by 1, 2, 5 and an outbound one by 5, 4, 3: a handler that does
 * not implement an event is passed by. Which events a handler implements is looked up once, when it is added.
 *
 * **Going on.** A handler ends an event's way by returning, or sends it on with its context:
 *
 * - inbound: `fireChannelActive`, `fireChannelInactive`, `fireChannelRead`, `fireChannelReadComplete`,
 *   `fireChannelWritabilityChanged`, `fireUserEventTriggered`, `fireExceptionCaught`
 * - outbound: `write`, `flush`, `writeAndFlush`, `close`
 *
 * The same methods of a context start a new event at that place: `ctx.write` begins before the handler, `channel.write` at the tail.
 * Past the tail a message is dropped and noted at debug level; past the head are the socket and its bytes.
 *
 * **Changes.** Handlers can be added, replaced and removed at any time, also by a handler while an event is under way. An event goes on
 * from where it is to what stands there at that moment; a removed handler gets none, but may still pass on what it has. `handlerAdded` and
 * `handlerRemoved` are called once, within the call that changes the pipeline; all handlers are removed when the channel has ended.
 *
 * **Exceptions.** What a handler throws from an inbound event or `flush` goes to its own `exceptionCaught`, else to the next one after it, as
 * RemotingError (`HANDLER_FAILED` with the cause, unless it is a RemotingError already). Past the tail it is reported and ends the channel.
 * So does an `exceptionCaught` that throws, without a further call. What is thrown from `write` fails that write alone, through its listener;
 * what is thrown from `close` is reported, and the channel closes all the same.
 *
 * Names are unique; `add...`, `replace` and `remove` throw RemotingError INVALID_ARGUMENT for a name that is taken, a name that is
 * unknown, or a handler that sits in a pipeline already and is not `sharable`.
 */
export interface ChannelPipeline extends ChannelInboundInvoker {
  addLast(name: string, handler: ChannelHandler): this;
  addFirst(name: string, handler: ChannelHandler): this;
  addBefore(base: string, name: string, handler: ChannelHandler): this;
  addAfter(base: string, name: string, handler: ChannelHandler): this;
  /** Puts `handler` in the place of the handler named `old`, which is returned. The new one is added before the old one is told. */
  replace(old: string, name: string, handler: ChannelHandler): ChannelHandler;
  /** Returns the handler that was removed. */
  remove(name: string): ChannelHandler;
  get(name: string): ChannelHandler | undefined;
  context(name: string): ChannelHandlerContext | undefined;
  /** From the head to the tail. */
  names(): string[];

  /** Tells the channel's owner of an error that concerns no other handler, for instance one that a user's callback threw; the channel goes on. */
  report(error: RemotingError): void;
}
