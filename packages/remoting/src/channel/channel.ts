import type { RemotingError } from '../errors.js';
import type { WriteListener } from './channel-handler.js';
import type { ChannelPipeline } from './channel-pipeline.js';

/** One connection: a socket, or in tests an embedded one. */
export interface Channel {
  /** Unique in this process, counted from 1. */
  readonly id: number;
  /** `host:port` of the other side, IPv6 in brackets; a proxy's word for it once a handler set it. */
  remoteAddress: string;
  /** `host:port` of this side. */
  readonly localAddress: string;
  readonly pipeline: ChannelPipeline;
  /** What handlers and their users want to remember of this connection, by name (upstream: Netty's `attr`); made when first asked for. */
  readonly attributes: Map<string, unknown>;
  /** True from the connection's start to its end, or to the first call of `close` or `destroy`: from then on writes fail. */
  readonly isActive: boolean;
  /** False from the high water mark of waiting bytes until they are below the low one. */
  readonly isWritable: boolean;
  /** Bytes written and not yet taken by the operating system, those that a handler keeps included. */
  readonly pendingBytes: number;
  /** Bytes that have come in so far. */
  readonly bytesRead: number;
  /** Bytes that the operating system has taken so far; while it grows, the peer is reading. */
  readonly bytesWritten: number;
  /**
   * While false nothing is read from the socket, and the peer is slowed down by TCP. Belongs to the channel's owner; switching it on
   * again fires `ReadResumedEvent`.
   */
  autoRead: boolean;
  /** Whether bytes are read as they come: `autoRead` is on, and no handler holds reading. */
  readonly isReading: boolean;
  /** Resolves when the connection has ended, with the error that ended it, if any. Never rejects. */
  readonly closed: Promise<RemotingError | undefined>;

  /**
   * Stops reading whatever `autoRead` says, until {@link releaseReads} was called as often: for a handler that keeps messages back. The
   * end of the peer's side is taken for read only then too, so that what it sent before is dealt with first.
   */
  holdReads(): void;
  releaseReads(): void;

  /**
   * For a handler that keeps bytes on their way out, as TLS does until it has encrypted them: counts `bytes` more, or with a negative number
   * less, among {@link pendingBytes}.
   */
  keepPendingBytes(bytes: number): void;
  /**
   * For a handler that has something left to write when the channel closes: until {@link releaseClose} was called as often, the head takes
   * writes though the channel is closing, and the connection does not end. The bounds of a graceful close hold all the same.
   */
  holdClose(): void;
  releaseClose(): void;
  /** For a handler that sees the end of the peer's side in the bytes: closes the channel, once no handler keeps messages back. */
  endInput(): void;

  /** Sends a message through the pipeline from its tail, without flushing. */
  write(message: unknown, listener?: WriteListener): void;
  flush(): void;
  writeAndFlush(message: unknown, listener?: WriteListener): void;
  /**
   * Sends what was flushed, which else leaves at the end of this turn of the event loop, its promise jobs included. For whoever knows that nothing
   * comes in this turn that could share its system call; for others the end of the turn is better.
   */
  flushNow(): void;
  /** Ends the connection after what was flushed. Twice is as good as once. `closed` resolves with `reason` unless there is a worse one. */
  close(reason?: RemotingError): Promise<void>;
  /** Ends the connection now; waiting writes fail with `error`. */
  destroy(error?: RemotingError): void;
}
