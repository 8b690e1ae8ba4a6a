import { asBuffer } from '../buffer/as-buffer.js';
import type { Channel } from '../channel/channel.js';
import type { ChannelHandler } from '../channel/channel-handler.js';
import type { ChannelHandlerContext } from '../channel/channel-handler-context.js';
import { formatSocketAddress } from '../channel/socket-address.js';
import { type Clock, systemClock, type Timer } from '../clock.js';
import type { ProxiedEndpoint, ProxyProtocolHeader } from '../codec/proxy-protocol-header.js';
import { readProxyProtocolHeader } from '../codec/read-proxy-protocol.js';
import { DecodeError, type RemotingError } from '../errors.js';
import { setPatientTimeout } from './patient-timeout.js';

/** Names of a channel's attributes that {@link ProxyProtocolDecoder} sets, all texts; upstream's names. */
export const ProxyProtocolAttribute = {
  /** The client's address, or the path of its Unix socket. */
  ADDR: 'proxy_protocol_addr',
  /** The client's port, in decimal. */
  PORT: 'proxy_protocol_port',
  /** The address of the proxy that the client connected to. */
  SERVER_ADDR: 'proxy_protocol_server_addr',
  SERVER_PORT: 'proxy_protocol_server_port',
  /** Of a piece with printable ASCII; its type follows in two hexadecimal digits, as in `proxy_protocol_tlv_0x02`. */
  TLV_PREFIX: 'proxy_protocol_tlv_0x',
} as const;

export interface ProxyProtocolDecoderOptions {
  /** How long the header may take, counted from the connection's start. Default 10000. */
  readonly headerTimeoutMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * Inbound, first of a server's handlers and only for connections of trusted proxies: takes the PROXY protocol's header, version 1 or 2, off
 * the start of the connection (upstream: `HandshakeHandler` of 5.3.3 and Netty's `HAProxyMessageDecoder`; reference: remoting 5.2). The channel's
 * `remoteAddress` becomes the client's, the rest of what the proxy says becomes attributes, and the handler takes itself out.
 *
 * `channelActive` waits for the header, so that who hears of a connection hears the client's address (upstream's CONNECT event names
 * the proxy). A peer that begins with anything else is served as it is: the first byte that no header has there decides. One that sends
 * nothing becomes active when the time is up, and may still send a header then; one that ends before it said anything, as a
 * proxy's health checks do, was never active.
 *
 * A header that breaks the rules or is not whole in time travels as `exceptionCaught`, and the channel closes.
 */
export class ProxyProtocolDecoder implements ChannelHandler {
  readonly #headerTimeoutMillis: number;
  readonly #clock: Clock;
  #kept: Buffer | undefined;
  #timer: Timer | undefined;
  /** `channelActive` came and was not passed on. */
  #holdsActive = false;
  #isDone = false;

  constructor(options: ProxyProtocolDecoderOptions = {}) {
    this.#headerTimeoutMillis = options.headerTimeoutMillis ?? 10_000;
    this.#clock = options.clock ?? systemClock;
  }

  handlerRemoved(ctx: ChannelHandlerContext): void {
    this.#timer?.cancel();
    if (this.#isDone || !ctx.channel.isActive) return;
    // Somebody else took it out: what is kept is for those behind.
    this.#isDone = true;
    this.#passOn(ctx);
  }

  channelActive(ctx: ChannelHandlerContext): void {
    this.#holdsActive = true;
    this.#timer = setPatientTimeout(this.#clock, () => this.#expired(ctx), this.#headerTimeoutMillis);
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (this.#isDone) return;
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    const bytes = this.#kept === undefined ? asBuffer(message) : Buffer.concat([this.#kept, message]);
    this.#kept = bytes;
    let header: ReturnType<typeof readProxyProtocolHeader>;
    try {
      header = readProxyProtocolHeader(bytes);
    } catch (thrown) {
      this.#fail(ctx, `bad bytes from ${ctx.channel.remoteAddress}: ${(thrown as RemotingError).message}`, thrown);
      return;
    }
    if (header === 'incomplete') return;
    if (header !== 'absent') {
      tell(ctx.channel, header);
      this.#kept = bytes.subarray(header.headerBytes);
    }
    this.#isDone = true;
    ctx.pipeline.remove(ctx.name);
    this.#passOn(ctx);
  }

  channelReadComplete(ctx: ChannelHandlerContext): void {
    if (!this.#holdsActive) ctx.fireChannelReadComplete();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#timer?.cancel();
    if (!this.#holdsActive) ctx.fireChannelInactive();
  }

  exceptionCaught(ctx: ChannelHandlerContext, error: RemotingError): void {
    // Nobody behind knows of the connection yet.
    if (this.#holdsActive) ctx.pipeline.report(error);
    else ctx.fireExceptionCaught(error);
  }

  #passOn(ctx: ChannelHandlerContext): void {
    const kept = this.#kept;
    this.#kept = undefined;
    this.#activate(ctx);
    if (kept !== undefined && kept.length > 0 && ctx.channel.isActive) ctx.fireChannelRead(kept);
  }

  #activate(ctx: ChannelHandlerContext): void {
    if (!this.#holdsActive) return;
    this.#holdsActive = false;
    ctx.fireChannelActive();
  }

  #expired(ctx: ChannelHandlerContext): void {
    const bytes = this.#kept?.length ?? 0;
    if (bytes === 0) this.#activate(ctx);
    else {
      const { remoteAddress } = ctx.channel;
      this.#fail(
        ctx,
        `${remoteAddress} sent ${bytes} bytes of a PROXY protocol header and not its end within ${this.#headerTimeoutMillis} ms`,
      );
    }
  }

  #fail(ctx: ChannelHandlerContext, message: string, cause?: unknown): void {
    const address = ctx.channel.remoteAddress;
    this.#isDone = true;
    this.#kept = undefined;
    this.#timer?.cancel();
    this.#activate(ctx);
    const error = new DecodeError(message, { address, cause });
    ctx.fireExceptionCaught(error);
    void ctx.channel.close(error);
  }
}

function tell(channel: Channel, { source, destination, tlvs }: ProxyProtocolHeader): void {
  const { attributes } = channel;
  const setEndpoint = (end: ProxiedEndpoint | undefined, addressName: string, portName: string): void => {
    if (end === undefined || end.address === '') return;
    attributes.set(addressName, end.address);
    if (end.port > 0) attributes.set(portName, String(end.port));
  };
  setEndpoint(source, ProxyProtocolAttribute.ADDR, ProxyProtocolAttribute.PORT);
  setEndpoint(destination, ProxyProtocolAttribute.SERVER_ADDR, ProxyProtocolAttribute.SERVER_PORT);
  // A Unix socket has no port, and its path says nothing of who is there: the proxy's address stays, as upstream has it.
  if (source !== undefined && source.port > 0) channel.remoteAddress = formatSocketAddress(source.address, source.port);
  for (const { type, value } of tlvs) {
    const isPrintable = value.every((byte) => byte >= 0x20 && byte <= 0x7e);
    if (!isPrintable) continue;
    const name = ProxyProtocolAttribute.TLV_PREFIX + type.toString(16).padStart(2, '0');
    attributes.set(name, value.toString('latin1'));
  }
}
