import type { TLSSocket } from 'node:tls';
import { asBuffer } from '../buffer/as-buffer.js';
import type { ChannelHandler, WriteListener } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import { ClosedError, RemotingError, textOfThrown } from '../errors.js';
import type { TlsContext } from '../tls/tls-context.js';
import { TlsError, tlsReason } from '../tls/tls-error.js';
import { TlsStream } from '../tls/tls-stream.js';
import { TlsWriteQueue } from '../tls/tls-write-queue.js';
import { setPatientTimeout } from './patient-timeout.js';

/** User event: a TLS handshake ended (upstream: Netty's `SslHandshakeCompletionEvent`). */
export interface TlsHandshakeEvent {
  readonly type: 'tlsHandshake';
  /** Why it failed; the rest is there when it did not. */
  readonly error?: RemotingError | undefined;
  /** Such as `TLSv1.3`. */
  readonly protocol?: string | undefined;
  /** Its standard name, such as `TLS_AES_256_GCM_SHA384`. */
  readonly cipher?: string | undefined;
  /** The subject of the peer's certificate, one `NAME=value` a line; undefined when it presented none. */
  readonly peerSubject?: string | undefined;
  /** Whether the peer's certificate was found to be of a trusted CA; false also where nobody looked. */
  readonly peerAuthorized?: boolean | undefined;
}

export function isTlsHandshakeEvent(event: unknown): event is TlsHandshakeEvent {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'tlsHandshake';
}

export interface TlsHandlerOptions {
  /** How long the handshake may take; default 10000. */
  readonly handshakeTimeoutMillis?: number | undefined;
  /** The name that a client asks the server for. */
  readonly servername?: string | undefined;
  /** Told once how the handshake ended, before the handlers that follow; also when the channel was closed before. */
  readonly onHandshake?: ((error: RemotingError | undefined) => void) | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * TLS between the bytes at the head and the handlers that follow (upstream: Netty's `SslHandler`). It may be added at any time, also in
 * mid-stream; the handshake begins when the channel is active.
 *
 * A server's handlers hear `channelActive` as before; a client's only once the handshake is done, and never of a channel whose handshake
 * failed. Then {@link TlsHandshakeEvent} is fired. What is written before waits, in order; what is written at all counts among the
 * channel's pending bytes, before its encryption and after, and its listener is called when the encrypted bytes are with the operating
 * system. A handshake that fails or takes too long ({@link TlsError}), and bytes that do not decrypt (`CONNECTION_CLOSED`), travel through
 * `exceptionCaught`, fail what waits and close the channel.
 *
 * Closing sends what was flushed and then TLS's own end, so that the peer can tell it from a cut.
 */
export class TlsHandler implements ChannelHandler {
  readonly #context: TlsContext;
  readonly #options: TlsHandlerOptions;
  readonly #queue = new TlsWriteQueue();
  #state: 'waiting' | 'handshaking' | 'open' | 'closing' | 'ended' = 'waiting';
  #stream: TlsStream | undefined;
  #socket: TLSSocket | undefined;
  #timer: Timer | undefined;
  #activeHeld = false;
  #readsHeld = false;
  #closeHeld = false;
  /** Within a channelRead, whose channelReadComplete is yet to come. */
  #reading = false;
  /** TLS has been given bytes and has not said that it wrote them; these are to be told. */
  #encrypting: readonly WriteListener[] | undefined;
  #pumpBooked = false;

  constructor(context: TlsContext, options: TlsHandlerOptions = {}) {
    this.#context = context;
    this.#options = options;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    if (ctx.channel.isActive) this.#start(ctx);
  }

  handlerRemoved(ctx: ChannelHandlerContext): void {
    this.#end(ctx, this.#closedError(ctx));
  }

  channelActive(ctx: ChannelHandlerContext): void {
    this.#activeHeld = this.#context.isClient;
    this.#start(ctx);
    if (!this.#activeHeld) ctx.fireChannelActive();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#end(ctx, this.#closedError(ctx));
    if (!this.#activeHeld) ctx.fireChannelInactive();
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed) return;
    this.#reading = true;
    const taken = stream.push(asBuffer(message));
    this.#reading = false;
    if (taken || this.#readsHeld || stream.readableLength === 0 || this.#state === 'ended') return;
    this.#readsHeld = true;
    ctx.channel.holdReads();
  }

  exceptionCaught(ctx: ChannelHandlerContext, error: RemotingError): void {
    if (this.#activeHeld) this.#end(ctx, new TlsError(ctx.channel.remoteAddress, error.message, error));
    else ctx.fireExceptionCaught(error);
  }

  write(ctx: ChannelHandlerContext, message: unknown, listener?: WriteListener): void {
    // The pipeline takes what is thrown here to the listener.
    if (this.#state === 'closing' || this.#state === 'ended') throw this.#closedError(ctx);
    const bytes = this.#queue.add(message, listener);
    if (bytes === undefined) {
      const address = ctx.channel.remoteAddress;
      throw new RemotingError('ENCODE_FAILED', 'TLS takes bytes only; an encoder is missing after it', { address });
    }
    if (bytes > 0) ctx.channel.keepPendingBytes(bytes);
  }

  flush(ctx: ChannelHandlerContext): void {
    this.#queue.flush();
    this.#bookPump(ctx);
  }

  close(ctx: ChannelHandlerContext): void {
    const { channel } = ctx;
    if (this.#state === 'closing') return;
    if (this.#state !== 'open') {
      this.#end(ctx, this.#closedError(ctx));
      ctx.close();
      return;
    }
    this.#state = 'closing';
    this.#closeHeld = true;
    channel.holdClose();
    ctx.close();
    this.#settle(ctx, this.#queue.dropUnflushed(), this.#closedError(ctx));
    this.#pump(ctx);
  }

  #start(ctx: ChannelHandlerContext): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'handshaking';
    const { handshakeTimeoutMillis = 10_000, servername, clock = systemClock } = this.#options;
    const { remoteAddress } = ctx.channel;
    this.#timer = setPatientTimeout(
      clock,
      () => this.#fail(ctx, new TlsError(remoteAddress, `no handshake within ${handshakeTimeoutMillis} ms`)),
      handshakeTimeoutMillis,
    );
    this.#stream = new TlsStream({
      out: (chunks) => this.#encrypted(ctx, chunks),
      ended: () => this.#releaseClose(ctx),
      wanted: () => this.#releaseReads(ctx),
    });
    this.#stream.on('error', () => {});
    try {
      this.#context.open(this.#stream, servername, (error, socket) => this.#opened(ctx, error, socket));
    } catch (thrown) {
      this.#fail(
        ctx,
        new TlsError(remoteAddress, thrown instanceof Error ? tlsReason(thrown) : textOfThrown(thrown), thrown),
      );
    }
  }

  #opened(ctx: ChannelHandlerContext, error: Error | undefined, socket: TLSSocket | undefined): void {
    socket?.on('error', (broken) => this.#broken(ctx, broken));
    if (this.#state !== 'handshaking') {
      socket?.destroy();
      return;
    }
    if (socket === undefined) {
      const cause = error ?? new Error('no reason given');
      this.#fail(ctx, new TlsError(ctx.channel.remoteAddress, tlsReason(cause), cause));
      return;
    }
    this.#timer?.cancel();
    this.#state = 'open';
    this.#socket = socket;
    const event = eventOf(socket);
    this.#options.onHandshake?.(undefined);
    if (this.#activeHeld) {
      this.#activeHeld = false;
      ctx.fireChannelActive();
    }
    ctx.fireUserEventTriggered(event);
    socket.on('data', (chunk: Buffer) => this.#decrypted(ctx, chunk));
    socket.on('end', () => this.#peerEnded(ctx));
    this.#bookPump(ctx);
  }

  #decrypted(ctx: ChannelHandlerContext, chunk: Buffer): void {
    if (this.#state !== 'open' || ctx.isRemoved) return;
    ctx.fireChannelRead(chunk);
    if (!this.#reading && !ctx.isRemoved) ctx.fireChannelReadComplete();
  }

  #peerEnded(ctx: ChannelHandlerContext): void {
    if (this.#state === 'open') ctx.channel.endInput();
  }

  #broken(ctx: ChannelHandlerContext, error: Error): void {
    if (this.#state !== 'open' && this.#state !== 'closing') return;
    const address = ctx.channel.remoteAddress;
    this.#fail(
      ctx,
      new ClosedError('CONNECTION_CLOSED', `TLS with ${address} broke: ${tlsReason(error)}`, { address, cause: error }),
    );
  }

  #encrypted(ctx: ChannelHandlerContext, chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) ctx.write(chunk);
    // Counted as they are now, so no longer as they were.
    this.#release(ctx);
    ctx.flush();
  }

  /** At the end of the turn, so that all writes of a turn share records, as they share a system call. */
  #bookPump(ctx: ChannelHandlerContext): void {
    if (this.#pumpBooked || this.#socket === undefined || this.#encrypting !== undefined) return;
    this.#pumpBooked = true;
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#pumpBooked = false;
        this.#pump(ctx);
      }),
    );
  }

  /** Gives TLS what was flushed, a part at a time, so that no more of it waits there unseen; then its end, when the channel closes. */
  #pump(ctx: ChannelHandlerContext): void {
    const socket = this.#socket;
    if (socket === undefined || this.#encrypting !== undefined || this.#state === 'ended') return;
    const batch = this.#queue.take();
    if (batch === undefined) {
      if (this.#state === 'closing') socket.end();
      return;
    }
    const { parts, listeners } = batch;
    const written = (error?: Error | null): void => {
      if (this.#state === 'ended') return;
      if (error !== undefined && error !== null) {
        this.#broken(ctx, error);
        return;
      }
      this.#encrypting = undefined;
      this.#release(ctx);
      // Tied to the encrypted bytes, all of which the channel has by now.
      for (const listener of listeners) ctx.write(nothing, listener);
      if (listeners.length > 0) ctx.flush();
      this.#pump(ctx);
    };
    const last = parts.pop();
    if (last === undefined) {
      written();
      return;
    }
    this.#encrypting = listeners;
    socket.cork();
    for (const part of parts) socket.write(part);
    socket.write(last, written);
    socket.uncork();
  }

  #release(ctx: ChannelHandlerContext): void {
    const bytes = this.#queue.release();
    if (bytes > 0) ctx.channel.keepPendingBytes(-bytes);
  }

  #fail(ctx: ChannelHandlerContext, error: RemotingError): void {
    const wasHandshaking = this.#state === 'handshaking';
    const wasActiveHeld = this.#activeHeld;
    this.#end(ctx, error);
    if (wasHandshaking) {
      const event: TlsHandshakeEvent = { type: 'tlsHandshake', error };
      ctx.fireUserEventTriggered(event);
    }
    // A connection that nobody heard of is its dial's alone.
    if (!wasActiveHeld) ctx.fireExceptionCaught(error);
    void ctx.channel.close(error);
  }

  /** Lets go of everything; what waits fails with `error`. */
  #end(ctx: ChannelHandlerContext, error: RemotingError): void {
    if (this.#state === 'ended') return;
    const wasOpened = this.#state === 'open' || this.#state === 'closing';
    this.#state = 'ended';
    this.#timer?.cancel();
    this.#socket?.destroy();
    this.#stream?.destroy();
    this.#releaseReads(ctx);
    if (!wasOpened) this.#options.onHandshake?.(error);
    const listeners = [...(this.#encrypting ?? []), ...this.#queue.dropAll()];
    this.#encrypting = undefined;
    this.#release(ctx);
    this.#settle(ctx, listeners, error);
    this.#releaseClose(ctx);
  }

  #releaseReads(ctx: ChannelHandlerContext): void {
    if (!this.#readsHeld) return;
    this.#readsHeld = false;
    ctx.channel.releaseReads();
  }

  #releaseClose(ctx: ChannelHandlerContext): void {
    if (!this.#closeHeld) return;
    this.#closeHeld = false;
    ctx.channel.releaseClose();
  }

  #settle(ctx: ChannelHandlerContext, listeners: readonly WriteListener[], error: RemotingError): void {
    for (const listener of listeners) {
      try {
        listener(error);
      } catch (thrown) {
        const { remoteAddress: address } = ctx.channel;
        ctx.pipeline.report(RemotingError.from(thrown, 'HANDLER_FAILED', 'a write listener failed', { address }));
      }
    }
  }

  #closedError(ctx: ChannelHandlerContext, cause?: unknown): RemotingError {
    const address = ctx.channel.remoteAddress;
    if (this.#state === 'handshaking')
      return new TlsError(
        address,
        'the connection ended during the handshake; the peer may not take TLS here, or not our certificate',
        cause,
      );
    return new ClosedError('CONNECTION_CLOSED', `the TLS connection with ${address} is closed`, { address, cause });
  }
}

const nothing = new Uint8Array(0);

function eventOf(socket: TLSSocket): TlsHandshakeEvent {
  const cipher = socket.getCipher();
  return {
    type: 'tlsHandshake',
    protocol: socket.getProtocol() ?? undefined,
    cipher: cipher.standardName ?? cipher.name,
    peerSubject: socket.getPeerX509Certificate()?.subject,
    peerAuthorized: socket.authorized,
  };
}
