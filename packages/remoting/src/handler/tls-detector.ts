import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { TlsContext } from '../tls/tls-context.js';
import { TlsError } from '../tls/tls-error.js';
import { TlsMode } from '../tls/tls-options.js';
import { setPatientTimeout } from './patient-timeout.js';
import { TlsHandler } from './tls-handler.js';

/** A TLS record that holds a handshake begins with it; no frame does, since 0x16 would be the first byte of a length above 352 MiB. */
const HANDSHAKE_RECORD = 0x16;

export interface TlsDetectorOptions {
  /** Default `permissive`. */
  readonly mode?: TlsMode | undefined;
  /** The context of the moment; undefined when none could be made. */
  readonly context: () => TlsContext | undefined;
  /** How long a handshake may take, and where TLS is enforced its first byte; default 10000. */
  readonly handshakeTimeoutMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * Inbound: looks at a connection's first byte, once, and takes its own place with a {@link TlsHandler} named `tls`, or leaves (upstream:
 * `TlsModeHandler`; reference: remoting 5.2).
 *
 * | mode       | TLS                           | plain bytes |
 * | ---------- | ----------------------------- | ----------- |
 * | disabled   | refused                       | taken       |
 * | permissive | taken if there is a context   | taken       |
 * | enforcing  | taken if there is a context   | refused     |
 *
 * What is refused reaches no further handler: a {@link TlsError} travels as `exceptionCaught`, and the channel closes.
 */
export class TlsDetector implements ChannelHandler {
  readonly #options: TlsDetectorOptions;
  #timer: Timer | undefined;
  #refused = false;

  constructor(options: TlsDetectorOptions) {
    this.#options = options;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    if (ctx.channel.isActive) this.#awaitFirstByte(ctx);
  }

  handlerRemoved(): void {
    this.#timer?.cancel();
  }

  channelActive(ctx: ChannelHandlerContext): void {
    this.#awaitFirstByte(ctx);
    ctx.fireChannelActive();
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (this.#refused) return;
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    if (message.length === 0) return;
    const { mode = TlsMode.PERMISSIVE, context, handshakeTimeoutMillis, clock } = this.#options;
    if (message[0] !== HANDSHAKE_RECORD) {
      if (mode === TlsMode.ENFORCING) {
        this.#refuse(ctx, 'it sent plain bytes, and this server takes TLS only (tls.server.mode=enforcing)');
        return;
      }
      ctx.pipeline.remove(ctx.name);
      ctx.fireChannelRead(message);
      return;
    }
    const tls = mode === TlsMode.DISABLED ? undefined : context();
    if (tls === undefined) {
      this.#refuse(
        ctx,
        mode === TlsMode.DISABLED
          ? 'it began TLS, and this server takes none (tls.server.mode=disabled)'
          : 'it began TLS, and this server has no certificate and key that it could use',
      );
      return;
    }
    ctx.pipeline.replace(ctx.name, 'tls', new TlsHandler(tls, { handshakeTimeoutMillis, clock }));
    ctx.fireChannelRead(message);
  }

  /** A peer that would wait for the server's first word waits in vain: both protocols begin with the client's. */
  #awaitFirstByte(ctx: ChannelHandlerContext): void {
    const { mode, handshakeTimeoutMillis = 10_000, clock = systemClock } = this.#options;
    if (mode !== TlsMode.ENFORCING || this.#timer !== undefined) return;
    this.#timer = setPatientTimeout(
      clock,
      () => this.#refuse(ctx, `it did not begin a handshake within ${handshakeTimeoutMillis} ms`),
      handshakeTimeoutMillis,
    );
  }

  #refuse(ctx: ChannelHandlerContext, reason: string): void {
    if (this.#refused) return;
    this.#refused = true;
    const error = new TlsError(ctx.channel.remoteAddress, reason);
    ctx.fireExceptionCaught(error);
    void ctx.channel.close(error);
  }
}
