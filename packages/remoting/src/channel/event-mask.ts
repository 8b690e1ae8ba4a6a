import type { ChannelHandler } from './channel-handler.js';

/** One bit for each event that travels through a pipeline. */
export const EventMask = {
  channelActive: 1 << 0,
  channelInactive: 1 << 1,
  channelRead: 1 << 2,
  channelReadComplete: 1 << 3,
  channelWritabilityChanged: 1 << 4,
  userEventTriggered: 1 << 5,
  exceptionCaught: 1 << 6,
  write: 1 << 7,
  flush: 1 << 8,
  close: 1 << 9,
} as const;

export type EventName = keyof typeof EventMask;

const eventNames = Object.keys(EventMask) as EventName[];

/** The events that `handler` implements (upstream: Netty's `ChannelHandlerMask`). Computed once for each place in a pipeline. */
export function eventMaskOf(handler: ChannelHandler): number {
  let mask = 0;
  for (const name of eventNames) if (typeof handler[name] === 'function') mask |= EventMask[name];
  return mask;
}
