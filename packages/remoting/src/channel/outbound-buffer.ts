import type { WriteListener } from './channel-handler.js';
import type { WriteBufferWaterMark } from './write-buffer-water-mark.js';

/** Slots that are kept when a queue has run empty, and that may be used up before it is moved to the front. */
const MAX_KEPT_SLOTS = 1024;

/**
 * What a channel has been given to write and the operating system has not taken (upstream: Netty's `ChannelOutboundBuffer`), in order:
 * first what was flushed, then the rest. Pure: it tells which listeners are due and whether more may be written, and calls nobody.
 */
export class OutboundBuffer<Message> {
  readonly #mark: WriteBufferWaterMark;
  /** Those that were taken are `undefined`; of the rest of the array only what lies before `#added` counts. */
  #messages: (Message | undefined)[] = [];
  #added = 0;
  #taken = 0;
  #flushed = 0;
  #writable = true;
  #addedMessages = 0;
  #takenMessages = 0;
  #addedBytes = 0;
  #flushedBytes = 0;
  #drainedBytes = 0;
  #keptBytes = 0;
  // Listeners in three columns, with those told already at the front: no record and no array for each write. The columns are written over
  // rather than emptied, since to set an array's length costs more than all the rest; `#listened` says how much of them counts.
  /** A listener is due when this many bytes, counted from the channel's start, are drained. */
  #atBytes: number[] = [];
  /** And this many messages taken, since a message may have no bytes. */
  #atMessages: number[] = [];
  #listeners: (WriteListener | undefined)[] = [];
  #listened = 0;
  #told = 0;
  #flushedListeners = 0;

  constructor(mark: WriteBufferWaterMark) {
    this.#mark = mark;
  }

  /** Bytes added and not yet drained, and those that a handler keeps. */
  get pendingBytes(): number {
    return this.#addedBytes - this.#drainedBytes + this.#keptBytes;
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
    return (
      this.#drainedBytes === this.#flushedBytes &&
      this.#taken === this.#flushed &&
      this.#told === this.#flushedListeners
    );
  }

  /** Appends one message, unflushed. */
  add(message: Message, bytes: number): void {
    this.#messages[this.#added++] = message;
    this.#addedMessages++;
    this.#addedBytes += bytes;
    if (this.pendingBytes > this.#mark.highBytes) this.#writable = false;
  }

  /** A handler keeps so many bytes more, or with a negative number less, that are to be added later. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    if (this.pendingBytes > this.#mark.highBytes) this.#writable = false;
    else if (this.pendingBytes < this.#mark.lowBytes) this.#writable = true;
  }

  /** Ties a listener to everything added so far. */
  listen(listener: WriteListener): void {
    const at = this.#listened++;
    this.#atBytes[at] = this.#addedBytes;
    this.#atMessages[at] = this.#addedMessages;
    this.#listeners[at] = listener;
  }

  /** What was added so far may now be taken. */
  flush(): void {
    this.#flushed = this.#added;
    this.#flushedBytes = this.#addedBytes;
    this.#flushedListeners = this.#listened;
  }

  /** The next flushed message, or undefined. Its bytes stay pending until {@link drain}. */
  take(): Message | undefined {
    if (this.#taken === this.#flushed) return undefined;
    const message = this.#messages[this.#taken];
    // It must not be kept from being freed.
    this.#messages[this.#taken++] = undefined;
    this.#takenMessages++;
    if (this.#taken === this.#added) {
      this.#keepMessages(this.#added);
    } else if (this.#taken >= MAX_KEPT_SLOTS && this.#taken * 2 >= this.#added) {
      // Copied once for each half that left: a queue that never runs empty must not grow for ever.
      this.#keepMessages(this.#taken);
    }
    return message;
  }

  /** `bytes` of what was taken are gone. */
  drain(bytes: number): void {
    this.#drainedBytes += bytes;
    if (this.pendingBytes < this.#mark.lowBytes) this.#writable = true;
  }

  /** How many listeners of flushed writes have all their bytes drained: so many {@link takeDue} gives, whatever is added meanwhile. */
  get dueCount(): number {
    let at = this.#told;
    while (this.#isDueAt(at)) at++;
    return at - this.#told;
  }

  /** Whether {@link takeDue} gives one now. */
  get isDue(): boolean {
    return this.#isDueAt(this.#told);
  }

  /** Removes and returns the first listener, which must be due. */
  takeDue(): WriteListener | undefined {
    const listener = this.#listeners[this.#told];
    this.#listeners[this.#told++] = undefined;
    if (this.#told === this.#listened) this.#keepListeners(this.#told, this.#told);
    else if (this.#told >= MAX_KEPT_SLOTS && this.#told * 2 >= this.#listened)
      this.#keepListeners(this.#told, this.#listened);
    return listener;
  }

  /** Drops what was not flushed; returns its listeners. */
  dropUnflushed(): WriteListener[] {
    this.#messages.length = this.#flushed;
    this.#added = this.#flushed;
    this.#addedBytes = this.#flushedBytes;
    const dropped = this.#listenersFrom(this.#flushedListeners);
    this.#keepListeners(this.#told, this.#flushedListeners);
    return dropped;
  }

  /** Drops everything; returns all listeners. */
  dropAll(): WriteListener[] {
    this.#messages = [];
    this.#added = 0;
    this.#taken = 0;
    this.#flushed = 0;
    this.#addedBytes = this.#drainedBytes;
    this.#flushedBytes = this.#drainedBytes;
    const dropped = this.#listenersFrom(this.#told);
    this.#keepListeners(0, 0);
    return dropped;
  }

  #isDueAt(at: number): boolean {
    return (
      at < this.#flushedListeners &&
      (this.#atBytes[at] ?? 0) <= this.#drainedBytes &&
      (this.#atMessages[at] ?? 0) <= this.#takenMessages
    );
  }

  #listenersFrom(from: number): WriteListener[] {
    return this.#listeners.slice(from, this.#listened).filter((listener) => listener !== undefined);
  }

  /** Forgets the messages before `from`, which were taken. */
  #keepMessages(from: number): void {
    if (from < this.#added) this.#messages = this.#messages.slice(from, this.#added);
    else if (this.#messages.length > MAX_KEPT_SLOTS) this.#messages = [];
    this.#flushed -= from;
    this.#taken -= from;
    this.#added -= from;
  }

  #keepListeners(from: number, to: number): void {
    if (from < to || this.#listeners.length > MAX_KEPT_SLOTS) {
      this.#atBytes = this.#atBytes.slice(from, to);
      this.#atMessages = this.#atMessages.slice(from, to);
      this.#listeners = this.#listeners.slice(from, to);
    } else if (to < this.#listened) {
      // Those that were dropped must not be kept from being freed.
      this.#listeners.fill(undefined, to, this.#listened);
    }
    this.#flushedListeners = from === to ? 0 : Math.min(this.#flushedListeners, to) - from;
    this.#listened = to - from;
    this.#told = 0;
  }
}
