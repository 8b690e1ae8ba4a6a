import { RemotingError } from '../errors.js';
import type { Channel } from './channel.js';
import type { WriteListener } from './channel-handler.js';
import { DefaultChannelPipeline, type PipelineEnds } from './default-channel-pipeline.js';
import { OutboundBuffer } from './outbound-buffer.js';
import { readResumed } from './read-resumed-event.js';
import { WriteBufferWaterMark } from './write-buffer-water-mark.js';

export interface ChannelOptions {
  /** Default 32 KiB and 64 KiB. */
  readonly writeBufferWaterMark?: WriteBufferWaterMark | undefined;
  /**
   * Told of every error that reached nobody: one that passed the tail (the channel then ends with it), a failed write without a
   * listener, a listener that threw.
   */
  readonly onUncaught?: ((error: RemotingError, channel: Channel) => void) | undefined;
  /** Told, for a debug log, of what is dropped without harm: a message that no handler took, a write after the end. */
  readonly onDebug?: ((text: string, channel: Channel) => void) | undefined;
}

let lastId = 0;

const defaultWaterMark = new WriteBufferWaterMark();

/**
 * What all channels share (upstream: Netty's `AbstractChannel`): the life from opening over active and closing to closed, the pipeline,
 * the bytes that wait, and the promise that each write listener is called once.
 *
 * The end is one step, taken in the turn in which `destroy` is called or the connection is lost: waiting writes fail, `channelInactive`
 * travels (if `channelActive` did), the handlers are removed, `closed` resolves. No handler is called after it.
 */
export abstract class AbstractChannel<Message> implements Channel {
  /** The two ends of its pipeline. */
  static readonly #ends: PipelineEnds = {
    write: (channel, message, listener) => AbstractChannel.#of(channel).#accept(message, listener),
    flush: (channel) => AbstractChannel.#of(channel).#flushed(),
    close: (channel) => AbstractChannel.#of(channel).beginClose(),
    uncaught: (channel, error) => AbstractChannel.#of(channel).#uncaught(error),
    unhandled: (channel, message) => AbstractChannel.#of(channel).unhandled(message),
    report: (channel, error) => AbstractChannel.#of(channel).#report(error),
  };

  static #of(channel: Channel): AbstractChannel<unknown> {
    return channel as AbstractChannel<unknown>;
  }

  readonly id = ++lastId;
  abstract remoteAddress: string;
  abstract readonly localAddress: string;
  readonly pipeline: DefaultChannelPipeline;
  readonly closed: Promise<RemotingError | undefined>;
  protected readonly outbound: OutboundBuffer<Message>;
  readonly #onUncaught: ChannelOptions['onUncaught'];
  readonly #onDebug: ChannelOptions['onDebug'];
  #bytesRead = 0;
  #state: 'opening' | 'active' | 'closing' | 'closed' = 'opening';
  #wasActive = false;
  #closeError: RemotingError | undefined;
  #attributes: Map<string, unknown> | undefined;
  #autoRead = true;
  #readHolds = 0;
  #closeHolds = 0;
  #inputEnded = false;
  #announcedWritable = true;
  #resolveClosed: (error: RemotingError | undefined) => void = () => {};

  constructor(options: ChannelOptions = {}) {
    this.outbound = new OutboundBuffer(options.writeBufferWaterMark ?? defaultWaterMark);
    this.#onUncaught = options.onUncaught;
    this.#onDebug = options.onDebug;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.pipeline = new DefaultChannelPipeline(this, AbstractChannel.#ends);
  }

  get isActive(): boolean {
    return this.#state === 'active';
  }

  get attributes(): Map<string, unknown> {
    this.#attributes ??= new Map();
    return this.#attributes;
  }

  get isWritable(): boolean {
    return this.outbound.isWritable;
  }

  get pendingBytes(): number {
    return this.outbound.pendingBytes;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  get bytesWritten(): number {
    return this.outbound.drainedBytes;
  }

  get autoRead(): boolean {
    return this.#autoRead;
  }

  set autoRead(value: boolean) {
    if (value === this.#autoRead) return;
    this.#autoRead = value;
    this.#adaptReading();
    if (value && this.isActive) this.pipeline.fireUserEventTriggered(readResumed);
  }

  get isReading(): boolean {
    return this.#autoRead && this.#readHolds === 0;
  }

  holdReads(): void {
    this.#readHolds++;
    if (this.#readHolds === 1) this.#adaptReading();
  }

  releaseReads(): void {
    if (this.#readHolds === 0) return;
    this.#readHolds--;
    if (this.#readHolds === 0) this.#adaptReading();
  }

  keepPendingBytes(bytes: number): void {
    if (this.isClosed) return;
    this.outbound.keep(bytes);
    this.announceWritability();
  }

  holdClose(): void {
    this.#closeHolds++;
  }

  releaseClose(): void {
    if (this.#closeHolds === 0) return;
    this.#closeHolds--;
    this.#closeWhenDrained();
  }

  endInput(): void {
    this.#inputEnded = true;
    // Answers to what it sent before are still owed.
    if (this.#readHolds === 0) this.#closeForPeer();
  }

  write(message: unknown, listener?: WriteListener): void {
    this.pipeline.write(message, listener);
  }

  flush(): void {
    this.pipeline.flush();
  }

  writeAndFlush(message: unknown, listener?: WriteListener): void {
    this.pipeline.write(message, listener);
    this.pipeline.flush();
  }

  flushNow(): void {}

  async close(reason?: RemotingError): Promise<void> {
    if (!this.isClosed) this.#closeError ??= reason;
    if (this.#state === 'opening' || this.#state === 'active') this.pipeline.close();
    await this.closed;
  }

  destroy(error?: RemotingError): void {
    this.end(error);
  }

  /** Puts a message in {@link outbound} with `enqueue`, or returns the error that fails its write, before anything of it was put there. */
  protected abstract doWrite(message: unknown): RemotingError | undefined;
  /** Something was flushed, or may be sent now: see to it that {@link drained} is called for every byte. */
  protected abstract doFlush(): void;
  /** Everything flushed is out: end the connection in good order, then call {@link end}. */
  protected abstract doClose(): void;
  /** Drop the connection now. Nothing may come from it after this. */
  protected abstract doDestroy(): void;
  /** Read from the connection, or do not. */
  protected abstract doAutoRead(on: boolean): void;

  protected get isClosing(): boolean {
    return this.#state === 'closing';
  }

  protected get isClosed(): boolean {
    return this.#state === 'closed';
  }

  protected get isOpening(): boolean {
    return this.#state === 'opening';
  }

  /** The connection stands: `channelActive` travels, and what was written before may go. */
  protected activate(): void {
    if (this.#state !== 'opening') return;
    this.#state = 'active';
    this.#wasActive = true;
    this.pipeline.fireChannelActive();
    if (this.isClosed) return;
    // An autoRead that was set before counts from here on.
    this.#adaptReading();
    this.doFlush();
  }

  /** A message from the other side enters the pipeline. */
  protected fireRead(message: unknown): void {
    if (message instanceof Uint8Array) this.#bytesRead += message.length;
    this.pipeline.fireChannelRead(message);
  }

  protected enqueue(message: Message, bytes: number): void {
    this.outbound.add(message, bytes);
  }

  /** Fires `channelWritabilityChanged` when `isWritable` is not what the handlers were told last. */
  protected announceWritability(): void {
    const writable = this.isWritable;
    if (writable === this.#announcedWritable || !this.isActive) return;
    this.#announcedWritable = writable;
    this.pipeline.fireChannelWritabilityChanged();
  }

  /** `bytes` of what was taken from {@link outbound} are with the operating system. */
  protected drained(bytes: number): void {
    if (this.isClosed) return;
    this.outbound.drain(bytes);
    this.#settleDue();
    if (this.isClosed) return;
    this.announceWritability();
    this.#closeWhenDrained();
  }

  protected beginClose(): void {
    if (this.#state === 'opening') {
      this.end(undefined);
      return;
    }
    if (this.#state !== 'active') return;
    this.#state = 'closing';
    const listeners = this.outbound.dropUnflushed();
    if (listeners.length > 0) {
      const error = this.failure('CONNECTION_CLOSED', 'was closed before the write was flushed');
      for (const listener of listeners) this.pipeline.settle(listener, error);
    }
    this.#closeWhenDrained();
  }

  /** The connection failed: the handlers hear of it, then it is over. */
  protected fail(error: RemotingError): void {
    if (this.isClosed) return;
    // A peer that resets the connection at the end of a graceful close takes nothing from anybody.
    if (this.isClosing && this.#closeHolds === 0 && this.outbound.isDrained) {
      this.end(undefined);
      return;
    }
    if (this.#wasActive) this.pipeline.fireExceptionCaught(error);
    this.end(error);
  }

  protected end(error: RemotingError | undefined): void {
    if (this.isClosed) return;
    this.#state = 'closed';
    this.doDestroy();
    // A listener that ends the channel takes nothing from the others that were due with it.
    this.#settleDue();
    const listeners = this.outbound.dropAll();
    if (listeners.length > 0) {
      const failure = error ?? this.failure('CONNECTION_CLOSED', 'was closed before the bytes were taken');
      for (const listener of listeners) this.pipeline.settle(listener, failure);
    }
    if (this.#wasActive) this.pipeline.fireChannelInactive();
    this.pipeline.destroy();
    this.#resolveClosed(error ?? this.#closeError);
  }

  protected failure(
    code: 'CONNECTION_CLOSED' | 'SEND_FAILED' | 'CONNECT_FAILED',
    what: string,
    cause?: unknown,
  ): RemotingError {
    const detail = cause instanceof Error ? `: ${cause.message}` : '';
    const address = this.remoteAddress;
    return new RemotingError(code, `the connection with ${address} ${what}${detail}`, { address, cause });
  }

  /** A message passed the tail. */
  protected unhandled(message: unknown): void {
    this.debug(`a message (${kindOf(message)}) reached the end of the pipeline and is dropped`);
  }

  protected debug(text: string): void {
    try {
      this.#onDebug?.(text, this);
    } catch {
      // A log that fails must not fail the connection.
    }
  }

  get #takesWrites(): boolean {
    return this.#state === 'opening' || this.#state === 'active' || (this.#state === 'closing' && this.#closeHolds > 0);
  }

  #closeWhenDrained(): void {
    if (this.isClosing && this.#closeHolds === 0 && this.outbound.isDrained) this.doClose();
  }

  /** Through the pipeline, so that a handler may have its last word. */
  #closeForPeer(): void {
    if (this.isActive) this.pipeline.close();
    else if (this.isOpening) this.beginClose();
  }

  #settleDue(): void {
    // Counted once: a listener that is due stays so, unless one before it ends the channel, which drops them all.
    for (let due = this.outbound.dueCount; due > 0 && this.outbound.isDue; due--)
      this.pipeline.settle(this.outbound.takeDue(), undefined);
  }

  #adaptReading(): void {
    if (!this.isActive) return;
    const on = this.#autoRead && this.#readHolds === 0;
    if (on && this.#inputEnded) this.#closeForPeer();
    else this.doAutoRead(on);
  }

  #accept(message: unknown, listener: WriteListener | undefined): void {
    if (!this.#takesWrites) {
      if (listener === undefined) this.debug('a write after the end of the channel is dropped');
      else this.pipeline.settle(listener, this.failure('CONNECTION_CLOSED', 'is closed; nothing can be written to it'));
      return;
    }
    const refused = this.doWrite(message);
    if (refused !== undefined) {
      this.pipeline.settle(listener, refused);
      return;
    }
    if (listener !== undefined) this.outbound.listen(listener);
    this.announceWritability();
  }

  #flushed(): void {
    if (!this.#takesWrites) return;
    this.outbound.flush();
    if (this.#state !== 'opening') this.doFlush();
  }

  #uncaught(error: RemotingError): void {
    this.#report(error);
    // What was flushed before a close still goes out; the close has a bound of its own.
    if (this.isClosing) this.#closeError ??= error;
    else this.end(error);
  }

  #report(error: RemotingError): void {
    try {
      this.#onUncaught?.(error, this);
    } catch {
      // There is nobody left to tell.
    }
  }
}

function kindOf(message: unknown): string {
  return typeof message === 'object' && message !== null ? (message.constructor?.name ?? 'object') : typeof message;
}
