import { RequestCode } from '@rmqns/protocol';
import { type Channel, type ChannelHandler, type ChannelHandlerContext, RemotingCommand } from '@rmqns/remoting';

const LENGTH_BYTES = 4;
/** How every known client begins the JSON header of a lookup, after the frame's two words. */
const JSON_LOOKUP = Buffer.from(`{"code":${RequestCode.GET_ROUTEINFO_BY_TOPIC},`);
const NO_BYTES = Buffer.alloc(0);

/** What the bytes at the begin of a frame say. */
const Opening = {
  LOOKUP: 0,
  OTHER: 1,
  /** Too few bytes to tell. */
  INCOMPLETE: 2,
} as const;

type Opening = (typeof Opening)[keyof typeof Opening];

/** What a gate needs of its connection. */
export interface GatedConnection {
  /** Has the socket give what it has read ahead, and reads no more from it. */
  drain(): void;
  /** The connection is to be served elsewhere, from these bytes on; the channel has ended here, the connection has not. */
  handOver(bytes: Buffer, channel: Channel): void;
}

/**
 * First of the handlers of a connection that is served for its route lookups: lets frames pass that are lookups for certain, and at the
 * first that is not gives the connection away, with all bytes from that frame on and once every lookup before it is answered. It knows a
 * lookup by the first bytes of its frame: what is not known so is another's to read, be it a lookup with an unusual header, a
 * TLS handshake or no frame at all.
 */
export class LookupGate implements ChannelHandler {
  readonly #connection: GatedConnection;
  /** Too few bytes of a frame to know it. */
  #head: Buffer = NO_BYTES;
  /** Bytes still to come of the frame that passes. */
  #comingBytes = 0;
  /** Lookups that were let in, and how many of them came out of the decoder. */
  #passed = 0;
  #decoded = 0;
  /** Lookups that wait for the owner's answer. */
  #asking = 0;
  /** What belongs to the next who serves the connection. */
  #kept: Buffer[] | undefined;
  #ctx: ChannelHandlerContext | undefined;
  #isDraining = false;

  constructor(connection: GatedConnection) {
    this.#connection = connection;
  }

  handlerAdded(ctx: ChannelHandlerContext): void {
    this.#ctx = ctx;
    // Right before the dispatcher: what comes by there has left the decoder.
    ctx.pipeline.addBefore('dispatcher', 'lookupsDecoded', { channelRead: this.#onDecoded });
  }

  channelRead(ctx: ChannelHandlerContext, message: unknown): void {
    if (!(message instanceof Uint8Array)) {
      ctx.fireChannelRead(message);
      return;
    }
    let bytes = Buffer.isBuffer(message)
      ? message
      : Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    if (this.#kept !== undefined) {
      this.#kept.push(bytes);
      return;
    }
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, bytes]);
      this.#head = NO_BYTES;
    }
    let at = this.#comingBytes;
    let opening: Opening = Opening.LOOKUP;
    while (at < bytes.length) {
      opening = openingOf(bytes, at);
      if (opening !== Opening.LOOKUP) break;
      at += LENGTH_BYTES + bytes.readInt32BE(at);
      this.#passed++;
    }
    this.#comingBytes = Math.max(0, at - bytes.length);
    if (opening === Opening.LOOKUP) {
      ctx.fireChannelRead(bytes);
      return;
    }
    const rest = bytes.subarray(at);
    if (opening === Opening.INCOMPLETE) this.#head = rest;
    else this.#close(ctx, rest);
    if (at > 0) ctx.fireChannelRead(bytes.subarray(0, at));
    if (opening === Opening.OTHER) this.#handOverWhenQuiet();
  }

  channelInactive(ctx: ChannelHandlerContext): void {
    this.#ctx = undefined;
    ctx.fireChannelInactive();
  }

  /** A lookup of this connection is asked of the owner. */
  asks(): void {
    this.#asking++;
  }

  /** The owner has answered; in the same turn the answer is written. */
  answered(): void {
    this.#asking--;
    if (this.#kept !== undefined) setImmediate(() => this.#handOverWhenQuiet());
  }

  readonly #onDecoded = (ctx: ChannelHandlerContext, message: unknown): void => {
    if (message instanceof RemotingCommand) this.#decoded++;
    ctx.fireChannelRead(message);
    if (this.#kept !== undefined) this.#handOverWhenQuiet();
  };

  #close({ channel }: ChannelHandlerContext, rest: Buffer): void {
    this.#kept = [rest];
    channel.holdReads();
  }

  #handOverWhenQuiet(): void {
    const channel = this.#ctx?.channel;
    if (channel === undefined || this.#isDraining || this.#decoded < this.#passed || this.#asking > 0) return;
    this.#isDraining = true;
    // A write of nothing is done when those before it are: then every answer is with the operating system.
    channel.writeAndFlush(NO_BYTES, (error) => {
      if (error === undefined && this.#ctx !== undefined) this.#handOver(channel);
    });
  }

  #handOver(channel: Channel): void {
    this.#connection.drain();
    const bytes = Buffer.concat(this.#kept ?? []);
    channel.destroy();
    this.#connection.handOver(bytes, channel);
  }
}

function openingOf(bytes: Buffer, at: number): Opening {
  const known = bytes.length - at;
  if (known < 2 * LENGTH_BYTES) return Opening.INCOMPLETE;
  // Shorter than any lookup, or beyond what a frame can be, as a TLS record looks here.
  const frameBytes = bytes.readInt32BE(at);
  if (frameBytes < LENGTH_BYTES + 2 || frameBytes > 0xffffff) return Opening.OTHER;
  const headerAt = at + 2 * LENGTH_BYTES;
  const serializeType = bytes[at + LENGTH_BYTES];
  if (serializeType === 1) {
    if (known < 2 * LENGTH_BYTES + 2) return Opening.INCOMPLETE;
    return bytes.readInt16BE(headerAt) === RequestCode.GET_ROUTEINFO_BY_TOPIC ? Opening.LOOKUP : Opening.OTHER;
  }
  if (serializeType !== 0) return Opening.OTHER;
  const end = Math.min(bytes.length, headerAt + JSON_LOOKUP.length);
  for (let index = headerAt; index < end; index++)
    if (bytes[index] !== JSON_LOOKUP[index - headerAt]) return Opening.OTHER;
  return end === headerAt + JSON_LOOKUP.length ? Opening.LOOKUP : Opening.INCOMPLETE;
}
