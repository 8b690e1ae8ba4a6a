import type { WriteListener } from './channel-handler.js';
import type { WriteBufferWaterMark } from './write-buffer-water-mark.js';

interface Waiting {
  /** The listener is due when this many bytes, counted from the channel's start, are drained. */
  readonly atBytes: number;
  /** And this many messages taken, since a message may have no bytes. */
  readonly atMessages: number;
  readonly listener: WriteListener;
}

const none: readonly WriteListener[] = [];

/**
 * What a channel has been given to write and the operating system has not taken (upstream: Netty's `ChannelOutboundBuffer`), in order:
 * first what was flushed, then the rest. Pure: it tells which listeners are due and whether more may be written, and calls nobody.
 */
export class OutboundBuffer<Message> {
  readonly #mark: WriteBufferWaterMark;
  #messages: Message[] = [];
  #taken = 0;
  #flushed = 0;
  #writable = true;
  #addedMessages = 0;
  #takenMessages = 0;
  #addedBytes = 0;
  #flushedBytes = 0;
  #drainedBytes = 0;
  readonly #waiting: Waiting[] = [];
  #flushedWaiting = 0;

  constructor(mark: WriteBufferWaterMark) {
    this.#mark = mark;
  }

  /** Bytes added and not yet drained. */
  get pendingBytes(): number {
    return this.#addedBytes - this.#drainedBytes;
  }

  /** Bytes drained since the start. */
  get drainedBytes(): number {
    return this.#drainedBytes;
  }

  /** False once more than the high water mark waits, true again once less than the low one does. */
  get isWritable(): boolean {
    return this.#writable;
  }

  /** True when nothing that was flushed waits or is under way. */
  get isDrained(): boolean {
    return this.#drainedBytes === this.#flushedBytes && this.#taken === this.#flushed && this.#flushedWaiting === 0;
  }

  /** Appends one message, unflushed. */
  add(message: Message, bytes: number): void {
    this.#messages.push(message);
    this.#addedMessages++;
    this.#addedBytes += bytes;
    if (this.pendingBytes > this.#mark.highBytes) this.#writable = false;
  }

  /** Ties a listener to everything added so far. */
  listen(listener: WriteListener): void {
    this.#waiting.push({ atBytes: this.#addedBytes, atMessages: this.#addedMessages, listener });
  }

  /** What was added so far may now be taken. */
  flush(): void {
    this.#flushed = this.#messages.length;
    this.#flushedBytes = this.#addedBytes;
    this.#flushedWaiting = this.#waiting.length;
  }

  /** The next flushed message, or undefined. Its bytes stay pending until {@link drain}. */
  take(): Message | undefined {
    if (this.#taken === this.#flushed) return undefined;
    const message = this.#messages[this.#taken++];
    this.#takenMessages++;
    if (this.#taken === this.#messages.length) {
      this.#messages = [];
      this.#taken = 0;
      this.#flushed = 0;
    } else if (this.#taken >= 1024 && this.#taken * 2 >= this.#messages.length) {
      // Copied once for each half that left: a queue that never runs empty must not grow for ever.
      this.#messages = this.#messages.slice(this.#taken);
      this.#flushed -= this.#taken;
      this.#taken = 0;
    }
    return message;
  }

  /** `bytes` of what was taken are gone. */
  drain(bytes: number): void {
    this.#drainedBytes += bytes;
    if (this.pendingBytes < this.#mark.lowBytes) this.#writable = true;
  }

  /** Removes and returns the listeners of flushed writes whose bytes are all drained. */
  takeDue(): readonly WriteListener[] {
    let due = 0;
    while (due < this.#flushedWaiting && this.#isDue(this.#waiting[due])) due++;
    if (due === 0) return none;
    this.#flushedWaiting -= due;
    return this.#waiting.splice(0, due).map((waiting) => waiting.listener);
  }

  /** Drops what was not flushed; returns its listeners. */
  dropUnflushed(): WriteListener[] {
    this.#messages.length = this.#flushed;
    this.#addedBytes = this.#flushedBytes;
    return this.#waiting.splice(this.#flushedWaiting).map((waiting) => waiting.listener);
  }

  /** Drops everything; returns all listeners. */
  dropAll(): WriteListener[] {
    this.#messages = [];
    this.#taken = 0;
    this.#flushed = 0;
    this.#addedBytes = this.#drainedBytes;
    this.#flushedBytes = this.#drainedBytes;
    this.#flushedWaiting = 0;
    return this.#waiting.splice(0).map((waiting) => waiting.listener);
  }

  #isDue(waiting: Waiting | undefined): boolean {
    return waiting !== undefined && waiting.atBytes <= this.#drainedBytes && waiting.atMessages <= this.#takenMessages;
  }
}
