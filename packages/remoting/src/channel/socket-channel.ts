import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { lentBytes, ownCopy } from '../buffer/read-memory.js';
import { leavingSlab } from '../buffer/slab.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import { RemotingError } from '../errors.js';
import { AbstractChannel, type ChannelOptions } from './abstract-channel.js';
import { type ReadingSocket, reader } from './read-socket.js';
import { formatSocketAddress } from './socket-address.js';

/**
 * What a channel needs of a connection: a stream of bytes both ways, such as a `net.Socket` over TCP or a Unix socket, or a `TLSSocket`. The rest
 * is used where it is there.
 */
export interface ChannelSocket extends Duplex {
  /** True until `connect`, or for a `TLSSocket` `secureConnect`, is emitted. */
  readonly connecting?: boolean;
  /** As `connecting`, for a `TLSSocket` over a socket that had connected before. */
  readonly secureConnecting?: boolean;
  readonly encrypted?: boolean;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  setNoDelay?(noDelay?: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

export interface SocketChannelOptions extends ChannelOptions {
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
  /**
   * How long a graceful close waits for the peer: to take further waiting bytes, and to close its side. Counted anew whenever bytes went
   * out. Default 1000.
   */
  readonly closeGraceMillis?: number | undefined;
  /** How long a graceful close takes at most, also when the peer goes on taking bytes all the time. Default 5000. */
  readonly closeTimeoutMillis?: number | undefined;
  /** What to call the peer; default its address, empty until the socket has connected and for one that has none, such as a Unix socket. */
  readonly remoteAddress?: string | undefined;
}

/**
 * The most that one call hands to the operating system. Small enough that a slow peer's progress is seen before a stall is suspected, and
 * as large as the default high water mark, so that all a writable channel holds leaves in one call.
 */
const maxBatchBytes = 64 * 1024;

/** `queueMicrotask` would make two objects more for each turn, and cost several times as much. */
const afterOtherJobs = Promise.resolve();

const NOTHING = Buffer.alloc(0);

/** The channel that a socket belongs to: so the listeners are the same functions for all sockets. */
const owner = Symbol('channel');

interface Owned extends ChannelSocket, ReadingSocket {
  [owner]: SocketChannel;
}

/**
 * A channel over a socket, connected or connecting.
 *
 * The owner fills the pipeline and then calls {@link start}; until then nothing is read. The head takes `Uint8Array` (so `Buffer`) and
 * arrays of them, which leave as they stand; they must not be changed until the write's listener was called.
 *
 * Everything flushed in one turn of the event loop leaves in one system call, at the end of the turn. The end is after the turn's promise
 * jobs too: a microtask is queued that queues a `nextTick`, and Node runs that only when no microtask is left. Several requests that
 * came in one chunk and were answered at once, or by a few awaits without I/O, so share a call. `setImmediate` would do as well but keeps
 * the answers back until the other sockets' events have been handled. Whoever knows that all are there calls {@link flushNow}.
 */
export class SocketChannel extends AbstractChannel<Uint8Array> {
  remoteAddress: string;
  readonly #socket: ChannelSocket;
  readonly #clock: Clock;
  readonly #closeGraceMillis: number;
  readonly #closeTimeoutMillis: number;
  /** Kept: a closed socket has forgotten it, the log about its end should not. */
  #localAddress: string;
  #started = false;
  #connected = false;
  #sendQueued = false;
  /** A read is dealt with, and what it flushes may be sent before it ends: only then is the rest booked for the end of the turn. */
  #reading = false;
  #inFlightBytes = 0;
  /**
   * Whether the last write was with the operating system by the time it returned, as nearly all of a TCP socket's are. The next one then comes
   * without a callback, which costs a turn's end of its own.
   */
  #leavesAtOnce = false;
  /** Whether the socket is the operating system's: others may keep bytes that they say to have taken. */
  readonly #keepsNothing: boolean;
  #grace: Timer | undefined;
  #closeTimer: Timer | undefined;

  constructor(socket: ChannelSocket, options: SocketChannelOptions = {}) {
    super(options);
    this.#socket = socket;
    this.#keepsNothing = Object.getPrototypeOf(socket) === Socket.prototype;
    this.#clock = options.clock ?? systemClock;
    this.#closeGraceMillis = options.closeGraceMillis ?? 1000;
    this.#closeTimeoutMillis = options.closeTimeoutMillis ?? 5000;
    this.remoteAddress = options.remoteAddress ?? addressOf(socket.remoteAddress, socket.remotePort);
    this.#localAddress = addressOf(socket.localAddress, socket.localPort);
    // Or Node would end this side with the peer's, before the last answers.
    socket.allowHalfOpen = true;
    socket.setNoDelay?.(true);
    socket.pause();
    (socket as Owned)[owner] = this;
    // A socket that reads into the common memory never emits `data`.
    (socket as Owned)[reader] = this;
    // This one stays for good: a socket may report a second error, and one without a listener would end the process.
    socket.on('error', SocketChannel.#onError);
    socket.on('end', SocketChannel.#onEnd);
    socket.on('close', SocketChannel.#onClose);
    if (socket.connecting === true || socket.secureConnecting === true)
      socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', SocketChannel.#onConnect);
    else this.#connected = true;
  }

  get localAddress(): string {
    return this.#localAddress;
  }

  /** Lets events flow: call once, when the pipeline is filled. `channelActive` comes at once, or when the socket has connected. */
  start(): this {
    if (this.#started) return this;
    this.#started = true;
    if (this.isClosed) return this;
    this.#socket.on('data', SocketChannel.#onData);
    if (this.#connected) this.activate();
    return this;
  }

  protected override doWrite(message: unknown): RemotingError | undefined {
    if (message instanceof Uint8Array) {
      if (message.length > 0) this.enqueue(message, message.length);
      return undefined;
    }
    if (!Array.isArray(message) || !message.every((part) => part instanceof Uint8Array)) {
      return new RemotingError('ENCODE_FAILED', 'the head of the pipeline takes bytes only; an encoder is missing', {
        address: this.remoteAddress,
      });
    }
    for (const part of message) if (part.length > 0) this.enqueue(part, part.length);
    return undefined;
  }

  protected override doFlush(): void {
    if (this.#sendQueued || this.#inFlightBytes > 0) return;
    this.#sendQueued = true;
    if (!this.#reading) this.#queueSend();
  }

  override flushNow(): void {
    // A send that is queued as well finds nothing.
    if (this.#sendQueued) this.#send();
  }

  protected override doClose(): void {
    this.#socket.end();
  }

  protected override doDestroy(): void {
    this.#grace?.cancel();
    this.#closeTimer?.cancel();
    this.#socket.destroy();
  }

  protected override doAutoRead(on: boolean): void {
    if (on) this.#socket.resume();
    else this.#socket.pause();
  }

  protected override beginClose(): void {
    const wasActive = this.isActive;
    super.beginClose();
    if (!wasActive || !this.isClosing) return;
    this.#waitForPeer();
    this.#closeTimer = this.#clock.setTimeout(
      () => this.#giveUp(`the peer left ${this.pendingBytes} bytes after ${this.#closeTimeoutMillis} ms`),
      this.#closeTimeoutMillis,
      true,
    );
    // Its bytes are not wanted any more, but its FIN is seen only by reading on.
    this.#socket.resume();
  }

  #queueSend(): void {
    void afterOtherJobs.then(() => process.nextTick(SocketChannel.#sendOf, this));
  }

  static #sendOf(channel: SocketChannel): void {
    channel.#send();
  }

  #send(): void {
    this.#sendQueued = false;
    while (!this.isClosed && this.#inFlightBytes === 0 && this.#sendBatch());
  }

  /** False when nothing is left, or what is has to wait. */
  #sendBatch(): boolean {
    let bytes = 0;
    let batch: Uint8Array[] | undefined;
    // Parts that lie side by side in memory, as small frames do that were encoded one after the other, leave as one.
    let first: Uint8Array | undefined;
    let joinedBytes = 0;
    while (bytes < maxBatchBytes) {
      const chunk = this.#rest ?? this.outbound.take();
      if (chunk === undefined) break;
      const room = maxBatchBytes - bytes;
      this.#rest = chunk.length > room ? chunk.subarray(room) : undefined;
      const part = this.#rest === undefined ? chunk : chunk.subarray(0, room);
      bytes += part.length;
      if (first !== undefined && first.buffer === part.buffer && first.byteOffset + joinedBytes === part.byteOffset) {
        joinedBytes += part.length;
        continue;
      }
      if (first !== undefined) {
        batch ??= [];
        batch.push(ofLength(first, joinedBytes));
      }
      first = part;
      joinedBytes = part.length;
    }
    if (first === undefined) {
      // Writes of no bytes are done as soon as those before them are.
      if (!this.outbound.isDrained) this.drained(0);
      return false;
    }
    this.#inFlightBytes = bytes;
    if (!this.#write(batch, ofLength(first, joinedBytes))) return false;
    this.#written();
    return true;
  }

  /** True when the bytes are with the operating system already, else `#onWritten` is called. */
  #write(batch: readonly Uint8Array[] | undefined, last: Uint8Array): boolean {
    const socket = this.#socket;
    const wantsCallback = !this.#leavesAtOnce;
    if (wantsCallback) this.#onWritten ??= (error) => this.#writeEnded(error);
    // Gathered, not joined: with answers of 1.8 KB, copying 8 of them into one Buffer cost a fifth more CPU for each request, and
    // with answers of 100 bytes, 8 or 64 at a time, the two were even within what the measurement scatters.
    if (batch !== undefined) {
      socket.cork();
      for (const part of batch) socket.write(part);
    }
    if (wantsCallback) socket.write(last, this.#onWritten);
    else socket.write(last);
    if (batch !== undefined) socket.uncork();
    this.#leavesAtOnce = socket.writableLength === 0 && socket.errored === null;
    if (wantsCallback) return false;
    if (this.#leavesAtOnce) {
      if (this.#keepsNothing) {
        if (batch !== undefined) for (const part of batch) leavingSlab.giveBack(part);
        leavingSlab.giveBack(last);
      }
      return true;
    }
    // It waits after all, or has failed: the callback of what comes behind it tells when, or how.
    socket.write(NOTHING, this.#onWritten);
    return false;
  }

  /** The part of a taken chunk that was too long for its batch. */
  #rest: Uint8Array | undefined;

  /** Made for the first write that wants it. */
  #onWritten: ((error?: Error | null) => void) | undefined;

  #writeEnded(error: Error | null | undefined): void {
    if (error !== undefined && error !== null) {
      this.fail(this.failure('SEND_FAILED', 'broke while writing', error));
      return;
    }
    this.#written();
    this.#send();
  }

  #written(): void {
    const bytes = this.#inFlightBytes;
    this.#inFlightBytes = 0;
    if (this.isClosing) this.#waitForPeer();
    this.drained(bytes);
  }

  static readonly #onConnect = function (this: Owned): void {
    this[owner].#connect();
  };

  static readonly #onData = function (this: Owned, chunk: Buffer): void {
    this[owner].#read(chunk);
  };

  /** For the socket, which has read so many bytes into the common memory. */
  readLent(byteLength: number): void {
    const bytes = lentBytes(byteLength);
    this.#read(this.pipeline.firstReader.borrowsBytes === true ? bytes : ownCopy(bytes));
  }

  #read(bytes: Buffer): void {
    if (!this.isActive) return;
    this.#reading = true;
    this.fireRead(bytes);
    if (!this.isClosed) this.pipeline.fireChannelReadComplete();
    this.#reading = false;
    if (this.#sendQueued) this.#queueSend();
  }

  static readonly #onEnd = function (this: Owned): void {
    this[owner].endInput();
  };

  static readonly #onError = function (this: Owned, error: NodeJS.ErrnoException): void {
    this[owner].#failed(error);
  };

  static readonly #onClose = function (this: Owned): void {
    this[owner].#ended();
  };

  #connect(): void {
    const socket = this.#socket;
    this.#connected = true;
    this.remoteAddress ||= addressOf(socket.remoteAddress, socket.remotePort);
    this.#localAddress = addressOf(socket.localAddress, socket.localPort);
    if (this.#started) this.activate();
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (!this.#connected) this.fail(this.failure('CONNECT_FAILED', 'could not be made', error));
    else if (error.syscall === 'write') this.fail(this.failure('SEND_FAILED', 'broke while writing', error));
    else this.fail(this.failure('CONNECTION_CLOSED', 'broke', error));
  }

  #ended(): void {
    this.end(this.outbound.isDrained ? undefined : this.failure('CONNECTION_CLOSED', 'was closed by the peer'));
  }

  #waitForPeer(): void {
    this.#grace?.cancel();
    this.#grace = this.#clock.setTimeout(
      () => this.#giveUp(`the peer took none of the last ${this.pendingBytes} bytes for ${this.#closeGraceMillis} ms`),
      this.#closeGraceMillis,
      true,
    );
  }

  /** Ends a close that was given its time; an error only if something did not get out. */
  #giveUp(why: string): void {
    this.end(this.outbound.isDrained ? undefined : this.failure('CONNECTION_CLOSED', `was closed; ${why}`));
  }
}

/** The bytes from a part's begin on, beyond its end where its neighbours lie. */
function ofLength(part: Uint8Array, byteLength: number): Uint8Array {
  return part.length === byteLength ? part : Buffer.from(part.buffer, part.byteOffset, byteLength);
}

function addressOf(host: string | undefined, port: number | undefined): string {
  return host === undefined || port === undefined ? '' : formatSocketAddress(host, port);
}
