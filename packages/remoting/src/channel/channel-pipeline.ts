import type { RemotingError } from '../errors.js';
import type { ChannelHandler } from './channel-handler.js';
import type { ChannelHandlerContext } from './channel-handler-context.js';

export interface ChannelPipeline {
  addLast(name: string, handler: ChannelHandler): this;
  addFirst(name: string, handler: ChannelHandler): this;
  addBefore(base: string, name: string, handler: ChannelHandler): this;
  addAfter(base: string, name: string, handler: ChannelHandler): this;
  replace(old: string, name: string, handler: ChannelHandler): ChannelHandler;
  remove(name: string): ChannelHandler;
  get(name: string): ChannelHandler | undefined;
  context(name: string): ChannelHandlerContext | undefined;
  names(): string[];

  fireChannelActive(): void;
  fireChannelInactive(): void;
  fireChannelRead(message: unknown): void;
  fireChannelReadComplete(): void;
  fireChannelWritabilityChanged(): void;
  fireUserEventTriggered(event: unknown): void;
  fireExceptionCaught(error: RemotingError): void;
}
