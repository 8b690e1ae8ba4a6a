import { Duplex } from 'node:stream';
import type { ChannelSocket } from '../channel/socket-channel.js';
import { ChaosLane, type ChaosLink } from './chaos-lane.js';
import type { ChaosOptions } from './chaos-options.js';
import { SeededRandom } from './seeded-random.js';

/**
 * A connection that misbehaves, around one that does not: a `net.Socket`, a {@link MemorySocket} or any other stream of bytes both ways. Made
 * by {@link chaos}; use it in the place of the socket, which it owns from then on.
 */
export class ChaosSocket extends Duplex implements ChannelSocket {
  readonly #inner: ChannelSocket;
  readonly #random: SeededRandom;
  readonly #inbound: ChaosLane;
  readonly #outbound: ChaosLane;
  readonly #resetAfterBytes: number;
  #freezeAfterBytes: number;
  #passedBytes = 0;
  #frozen = false;
  readonly #onThaw: (() => void)[] = [];
  #readWanted: () => void = () => {};

  /** @internal */
  constructor(inner: ChannelSocket, options: ChaosOptions) {
    super({ allowHalfOpen: true });
    this.#inner = inner;
    this.#random = new SeededRandom(options.seed ?? 1);
    this.#resetAfterBytes = options.resetAfterBytes ?? Number.POSITIVE_INFINITY;
    this.#freezeAfterBytes = options.freezeAfterBytes ?? Number.POSITIVE_INFINITY;
    const link = this.#link();
    this.#inbound = new ChaosLane(
      options,
      link,
      (bytes, done) => this.#deliverInbound(bytes, done),
      () => this.push(null),
    );
    this.#outbound = new ChaosLane(
      options,
      link,
      (bytes, done) => inner.write(bytes, () => done()),
      () => inner.end(),
    );
    inner.on('data', (chunk: Buffer) => {
      // One chunk at a time, so that a reader that stops is felt by the other side.
      inner.pause();
      this.#inbound.push(chunk, () => inner.resume());
    });
    inner.on('end', () => this.#inbound.end(() => {}));
    inner.on('error', (error) => this.#unlessFrozen(() => this.destroy(error)));
    inner.on('close', () => {
      if (!inner.readableEnded) this.#unlessFrozen(() => this.destroy());
    });
    for (const event of ['connect', 'secureConnect']) inner.on(event, () => this.emit(event));
  }

  /** The seed of this chaos, to make it again. */
  get seed(): number {
    return this.#random.seed;
  }

  get isFrozen(): boolean {
    return this.#frozen;
  }

  get connecting(): boolean {
    return this.#inner.connecting === true;
  }

  get remoteAddress(): string | undefined {
    return this.#inner.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#inner.remotePort;
  }

  get localAddress(): string | undefined {
    return this.#inner.localAddress;
  }

  get localPort(): number | undefined {
    return this.#inner.localPort;
  }

  setNoDelay(noDelay?: boolean): this {
    this.#inner.setNoDelay?.(noDelay);
    return this;
  }

  /** From now on nothing passes either way, and nobody is told: a stopped process, or a cable that was pulled out. */
  freeze(): void {
    this.#frozen = true;
  }

  /** What was held goes on, in order. */
  thaw(): void {
    this.#frozen = false;
    for (const task of this.#onThaw.splice(0)) task();
    this.#inbound.pump();
    this.#outbound.pump();
  }

  /** Ends the connection as a crash of the peer does, with `ECONNRESET`; the peer sees its own end lost too. */
  reset(): void {
    const inner = this.#inner as ChannelSocket & { resetAndDestroy?(): unknown };
    if (inner.resetAndDestroy === undefined) inner.destroy();
    else inner.resetAndDestroy();
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
  }

  override _read(): void {
    const wanted = this.#readWanted;
    this.#readWanted = () => {};
    wanted();
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.#outbound.push(Buffer.from(chunk), callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: () => void): void {
    this.#outbound.push(Buffer.concat(chunks.map(({ chunk }) => chunk)), callback);
  }

  override _final(callback: () => void): void {
    this.#outbound.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#inbound.stop();
    this.#outbound.stop();
    this.#inner.destroy();
    callback(error);
  }

  /** The end of the other side is not seen through a frozen line either. */
  #unlessFrozen(task: () => void): void {
    if (this.#frozen) this.#onThaw.push(task);
    else task();
  }

  #deliverInbound(bytes: Buffer, done: () => void): void {
    if (bytes.length === 0 || this.push(bytes)) done();
    else this.#readWanted = done;
  }

  #link(): ChaosLink {
    const self = this;
    return {
      random: this.#random,
      get isFrozen() {
        return self.#frozen;
      },
      get isOver() {
        return self.destroyed;
      },
      allowance: (bytes) =>
        Math.min(bytes, Math.min(this.#resetAfterBytes, this.#freezeAfterBytes) - this.#passedBytes),
      passed: (bytes) => this.#passed(bytes),
      reset: () => this.reset(),
    };
  }

  #passed(bytes: number): void {
    this.#passedBytes += bytes;
    if (this.#passedBytes >= this.#freezeAfterBytes) {
      this.#freezeAfterBytes = Number.POSITIVE_INFINITY;
      this.freeze();
    }
    if (this.#passedBytes >= this.#resetAfterBytes) this.reset();
  }
}

/**
 * Wraps a connection in one that delays, splits, joins, drops and damages what passes, freezes and breaks, as the options say and by random
 * numbers that come again with the same seed.
 *
 * ```ts
 * await using pair = createPair({ wrapSocket: (socket) => chaos(socket, { seed: 7, splitBytes: 3, delayMillis: [0, 5] }) });
 * ```
 */
export function chaos(socket: ChannelSocket, options: ChaosOptions = {}): ChaosSocket {
  return new ChaosSocket(socket, options);
}
