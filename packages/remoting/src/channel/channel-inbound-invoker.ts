import type { RemotingError } from '../errors.js';

/** Starts inbound events: at the head for a pipeline, at the next handler for a context (upstream: Netty's `ChannelInboundInvoker`). */
export interface ChannelInboundInvoker {
  fireChannelActive(): void;
  fireChannelInactive(): void;
  fireChannelRead(message: unknown): void;
  fireChannelReadComplete(): void;
  fireChannelWritabilityChanged(): void;
  fireUserEventTriggered(event: unknown): void;
  fireExceptionCaught(error: RemotingError): void;
}
