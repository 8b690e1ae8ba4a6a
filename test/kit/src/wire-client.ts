import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { timed } from './timed.js';
import { decodeWireFrame, encodeWireRequest, splitFrames, type WireFrame, type WireRequest } from './wire-frame.js';

const ANSWER_TIMEOUT_MILLIS = 5_000;

/** A bare TCP connection to a name server that knows frames and nothing else. */
export class WireClient implements AsyncDisposable {
  /** Frames that came and were not asked for yet, in order. */
  readonly received: WireFrame[] = [];
  /** Settles when the connection is closed, by whichever side. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #watchers = new Set<() => void>();
  #rest: Buffer = Buffer.alloc(0);
  #closed = false;
  #opaque = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // A reset is a close; 'close' follows it.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#closed = true;
        this.#notify();
        resolve();
      });
    });
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<WireClient> {
    const socket = connect({ port, host });
    await once(socket, 'connect');
    return new WireClient(socket);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Sends a frame: bytes as they are, or a request by its parts. Returns the opaque that the answer will carry. */
  send(frame: Uint8Array | WireRequest): number {
    if (frame instanceof Uint8Array) {
      this.#socket.write(frame);
      return frame.length >= 8 ? decodeOpaque(frame) : 0;
    }
    this.#opaque += 1;
    const opaque = frame.opaque ?? this.#opaque;
    this.#socket.write(encodeWireRequest({ ...frame, opaque }));
    return opaque;
  }

  /** Sends bytes that need not be a frame. */
  sendRaw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Waits for the frame of this opaque and takes it; `undefined` when the connection closes first. Fails after the timeout. */
  async tryAnswer(opaque: number, timeoutMillis = ANSWER_TIMEOUT_MILLIS): Promise<WireFrame | undefined> {
    let watcher = (): void => {};
    const answer = new Promise<WireFrame | undefined>((resolve) => {
      watcher = () => {
        const at = this.received.findIndex((frame) => frame.header.opaque === opaque);
        if (at >= 0) resolve(this.received.splice(at, 1)[0]);
        else if (this.#closed) resolve(undefined);
      };
      this.#watchers.add(watcher);
      watcher();
    });
    try {
      return await timed(answer, timeoutMillis, () => `no answer to opaque ${opaque}`);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** As {@link tryAnswer}, but a close is a failure. */
  async answer(opaque: number, timeoutMillis = ANSWER_TIMEOUT_MILLIS): Promise<WireFrame> {
    const frame = await this.tryAnswer(opaque, timeoutMillis);
    if (frame === undefined) throw new Error(`the connection was closed before the answer to opaque ${opaque}`);
    return frame;
  }

  /** Sends a request and waits for its answer. */
  async call(request: WireRequest, timeoutMillis = ANSWER_TIMEOUT_MILLIS): Promise<WireFrame> {
    return await this.answer(this.send(request), timeoutMillis);
  }

  /** Waits until the other side has closed the connection. */
  async waitForClose(timeoutMillis = ANSWER_TIMEOUT_MILLIS): Promise<void> {
    await timed(this.closed, timeoutMillis, () => 'the connection is still open');
  }

  /** Ends our side, and waits until the other side has ended too. */
  async close(timeoutMillis = ANSWER_TIMEOUT_MILLIS): Promise<void> {
    this.#socket.end();
    await this.waitForClose(timeoutMillis);
  }

  /** Drops the connection at once (a reset where data was unread). */
  destroy(): void {
    this.#socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.destroy();
    await this.closed;
  }

  #read(chunk: Buffer): void {
    const { frames, rest } = splitFrames(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]));
    this.#rest = rest;
    for (const frame of frames) this.received.push(decodeWireFrame(frame));
    this.#notify();
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function decodeOpaque(frame: Uint8Array): number {
  try {
    return decodeWireFrame(Buffer.from(frame)).header.opaque;
  } catch {
    return 0;
  }
}
