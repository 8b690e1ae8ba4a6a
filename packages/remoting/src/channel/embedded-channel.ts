import type { RemotingError } from '../errors.js';
import { AbstractChannel, type ChannelOptions } from './abstract-channel.js';
import type { Channel } from './channel.js';
import type { ChannelHandler } from './channel-handler.js';

/** Handlers with their names, in order from the head to the tail. */
export type EmbeddedHandlers =
  | readonly (readonly [name: string, handler: ChannelHandler])[]
  | Readonly<Record<string, ChannelHandler>>;

export interface EmbeddedChannelOptions extends ChannelOptions {
  /** Default `embedded:1`. */
  readonly remoteAddress?: string | undefined;
  /** Default `embedded:2`. */
  readonly localAddress?: string | undefined;
}

/**
 * A real pipeline without a socket, to test handlers with (upstream: Netty's `EmbeddedChannel`). All happens within the call: bytes or
 * messages put in with {@link writeInbound} come out at the tail ({@link readInbound}), those written with {@link writeOutbound} or by a
 * handler at the head ({@link readOutbound}), where anything is accepted and byte arrays are counted. It is active from the start.
 */
export class EmbeddedChannel extends AbstractChannel<unknown> {
  remoteAddress: string;
  readonly localAddress: string;
  readonly #inbound: unknown[] = [];
  readonly #taken: unknown[] = [];
  readonly #uncaught: RemotingError[];
  #holding = false;
  #unwritable = false;
  #sending = false;

  constructor(handlers: EmbeddedHandlers = [], options: EmbeddedChannelOptions = {}) {
    const uncaught: RemotingError[] = [];
    super({
      ...options,
      onUncaught: (error: RemotingError, channel: Channel) => {
        uncaught.push(error);
        options.onUncaught?.(error, channel);
      },
    });
    this.#uncaught = uncaught;
    this.remoteAddress = options.remoteAddress ?? 'embedded:1';
    this.localAddress = options.localAddress ?? 'embedded:2';
    const entries = isList(handlers) ? handlers : Object.entries(handlers);
    for (const [name, handler] of entries) this.pipeline.addLast(name, handler);
    this.activate();
  }

  /** Lets each message come in as if read from a socket in one turn, then `channelReadComplete`. True when something reached the tail. */
  writeInbound(...messages: unknown[]): boolean {
    for (const message of messages) if (this.isActive) this.fireRead(message);
    if (this.isActive) this.pipeline.fireChannelReadComplete();
    return this.#inbound.length > 0;
  }

  /** The next message that reached the tail, or undefined. */
  readInbound(): unknown {
    return this.#inbound.shift();
  }

  /** Writes and flushes each message. True when something can be read with {@link readOutbound}. */
  writeOutbound(...messages: unknown[]): boolean {
    for (const message of messages) this.write(message);
    this.flush();
    return this.#taken.length > 0;
  }

  /** The next message that left at the head, or undefined. A write of an array counts as one message. */
  readOutbound(): unknown {
    return this.#taken.shift();
  }

  override get isWritable(): boolean {
    return super.isWritable && !this.#unwritable;
  }

  /** Makes the channel unwritable whatever waits, or leaves it to the water mark again; fires the event when that changes something. */
  setWritable(writable: boolean): void {
    this.#unwritable = !writable;
    this.announceWritability();
  }

  /** Lets nothing leave until {@link flushOutbound}, as a peer that does not read. */
  holdOutbound(): void {
    this.#holding = true;
  }

  /** Lets what is held leave: all of it and then freely, or just the next `count` messages while the rest stays held. */
  flushOutbound(count?: number): void {
    if (count === undefined) this.#holding = false;
    this.#takeOut(count ?? Number.POSITIVE_INFINITY);
  }

  /** Closes the channel; true when messages are left to read at either end. Then rethrows what nobody caught. */
  finish(): boolean {
    if (this.isActive) this.pipeline.close();
    this.checkException();
    return this.#inbound.length + this.#taken.length > 0;
  }

  /** Throws the first error that nobody took, if any, once. */
  checkException(): void {
    const error = this.#uncaught.shift();
    if (error !== undefined) throw error;
  }

  protected override doWrite(message: unknown): RemotingError | undefined {
    this.enqueue(message, bytesOf(message));
    return undefined;
  }

  protected override unhandled(message: unknown): void {
    this.#inbound.push(message);
  }

  protected override doFlush(): void {
    if (!this.#holding) this.#takeOut(Number.POSITIVE_INFINITY);
  }

  protected override doClose(): void {
    this.end(undefined);
  }

  protected override doDestroy(): void {}

  protected override doAutoRead(): void {}

  #takeOut(count: number): void {
    // A listener that writes and flushes must not overtake what is being taken out.
    if (this.#sending) return;
    this.#sending = true;
    for (let left = count; left > 0; left--) {
      const message = this.outbound.take();
      if (message === undefined) break;
      this.#taken.push(message);
      this.drained(bytesOf(message));
    }
    this.#sending = false;
  }
}

function bytesOf(message: unknown): number {
  if (message instanceof Uint8Array) return message.length;
  return Array.isArray(message) ? message.reduce((sum: number, part) => sum + bytesOf(part), 0) : 0;
}

function isList(handlers: EmbeddedHandlers): handlers is readonly (readonly [string, ChannelHandler])[] {
  return Array.isArray(handlers);
}
