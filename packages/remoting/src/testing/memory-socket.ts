import { Duplex } from 'node:stream';
import type { ChannelSocket } from '../channel/socket-channel.js';

export interface MemorySocketOptions {
  /** The port that the first end shows as its own; the address of both is `memory`. Default 2. */
  readonly localPort?: number | undefined;
  /** The port that the second end shows as its own. Default 1. */
  readonly remotePort?: number | undefined;
  /** How many bytes an end takes in that nobody reads, before the other end's writes wait. Default 65536. */
  readonly highWaterMarkBytes?: number | undefined;
}

interface Arriving {
  readonly bytes: Buffer;
  readonly taken: (error?: Error | null) => void;
}

/**
 * One end of a connection within the process, made by {@link createMemorySockets}. It behaves as a TCP socket does: bytes arrive in a later
 * turn of the event loop, in order, a gathered write as one chunk; an end that reads nothing makes the other end's writes wait; `end` is seen
 * as the peer's end; to destroy an end that has unread bytes, or {@link resetAndDestroy}, is a reset to the other one. It holds no
 * process and needs no clock.
 */
export class MemorySocket extends Duplex implements ChannelSocket {
  readonly remoteAddress = 'memory';
  readonly localAddress = 'memory';
  readonly remotePort: number;
  readonly localPort: number;
  #peer: MemorySocket | undefined;
  readonly #arriving: Arriving[] = [];
  #peerEnded = false;
  #wasReset = false;
  #wanted = true;
  #turnBooked = false;

  /** @internal */
  constructor(localPort: number, remotePort: number, highWaterMarkBytes: number) {
    super({ allowHalfOpen: true, highWaterMark: highWaterMarkBytes });
    this.localPort = localPort;
    this.remotePort = remotePort;
  }

  /** @internal */
  join(peer: MemorySocket): void {
    this.#peer = peer;
  }

  /** Ends the connection as a crash does: the other end gets `ECONNRESET`, whatever was under way is lost. */
  resetAndDestroy(): this {
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer !== undefined) peer.#reset();
    return this.destroy();
  }

  override _read(): void {
    this.#wanted = true;
    this.#bookTurn();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#send(Buffer.from(chunk), callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), callback);
  }

  override _final(callback: () => void): void {
    const peer = this.#peer;
    if (peer !== undefined) peer.#peerIsOver();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    const unread = this.readableLength > 0 || this.#arriving.length > 0;
    for (const { taken } of this.#arriving.splice(0)) taken(systemError('EPIPE', 'write'));
    if (peer !== undefined) {
      if (unread) peer.#reset();
      else peer.#peerIsOver();
    }
    callback(error);
  }

  #send(bytes: Buffer, callback: (error?: Error | null) => void): void {
    const peer = this.#peer;
    if (peer === undefined || peer.destroyed) callback(systemError('EPIPE', 'write'));
    else {
      peer.#arriving.push({ bytes, taken: callback });
      peer.#bookTurn();
    }
  }

  #peerIsOver(): void {
    this.#peerEnded = true;
    this.#bookTurn();
  }

  #reset(): void {
    this.#wasReset = true;
    setImmediate(() => this.destroy(systemError('ECONNRESET', 'read')));
  }

  #bookTurn(): void {
    if (this.#turnBooked || this.destroyed) return;
    this.#turnBooked = true;
    setImmediate(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#turnBooked = false;
    if (this.#wasReset) return;
    while (this.#wanted && !this.destroyed) {
      const arrived = this.#arriving.shift();
      if (arrived === undefined) break;
      this.#wanted = this.push(arrived.bytes);
      arrived.taken();
    }
    if (this.#peerEnded && this.#arriving.length === 0 && !this.destroyed && !this.readableEnded) this.push(null);
  };
}

/** Two ends of one connection within the process; see {@link MemorySocket}. */
export function createMemorySockets(options: MemorySocketOptions = {}): [MemorySocket, MemorySocket] {
  const { localPort = 2, remotePort = 1, highWaterMarkBytes = 65_536 } = options;
  const first = new MemorySocket(localPort, remotePort, highWaterMarkBytes);
  const second = new MemorySocket(remotePort, localPort, highWaterMarkBytes);
  first.join(second);
  second.join(first);
  return [first, second];
}

function systemError(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}
