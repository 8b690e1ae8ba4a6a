import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promiseHooks } from 'node:v8';

/** What is counted while a server works: a cost that comes back is seen here, and not in a timed test. */
export interface Costs {
  /** Texts read as JSON, and values written as such. */
  parses: number;
  stringifies: number;
  /** Texts made of bytes. */
  texts: number;
  timers: number;
  promises: number;
  /** Bytes copied between buffers. */
  copiedBytes: number;
  /** System calls that write. */
  writes: number;
}

/** Methods that Node has and its types do not tell of. */
type Untold = Record<string, (...args: unknown[]) => unknown>;

const TEXT_METHODS = ['toString', 'latin1Slice', 'utf8Slice', 'asciiSlice', 'hexSlice'];
const WRITE_METHODS = ['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString'];

/** A bare connection to a server of this process. What a peer does here costs none of what is counted: it writes one buffer, and keeps what comes. */
export class CountedConnection {
  readonly #near: Socket;
  readonly #received: Buffer[] = [];
  #receivedBytes = 0;

  static async open(port: number): Promise<CountedConnection> {
    const near = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(near, 'connect');
    return new CountedConnection(near);
  }

  private constructor(near: Socket) {
    this.#near = near;
    near.on('data', (chunk) => {
      this.#received.push(chunk);
      this.#receivedBytes += chunk.length;
    });
  }

  /** Sends bytes in one write, waits until so many bytes have come back, and counts meanwhile. */
  async exchange(request: Buffer, answerBytes: number): Promise<{ costs: Costs; answer: Buffer }> {
    this.#received.length = 0;
    this.#receivedBytes = 0;
    const { costs, restore } = watch(this.#near);
    try {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (this.#receivedBytes < answerBytes) return;
          this.#near.off('data', look);
          // Nothing of this turn is left out.
          setImmediate(resolve);
        };
        this.#near.on('data', look);
        this.#near.write(request);
      });
    } finally {
      restore();
    }
    return { costs, answer: Buffer.concat(this.#received) };
  }

  /** Sends bytes and gives back the answers to so many requests, uncounted. */
  async answer(request: Buffer, frames: number): Promise<Buffer> {
    this.#received.length = 0;
    this.#near.write(request);
    for (;;) {
      await once(this.#near, 'data');
      const all = Buffer.concat(this.#received);
      if (countFrames(all) >= frames) return all;
    }
  }

  close(): void {
    this.#near.destroy();
  }
}

function countFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = 0; at + 4 <= bytes.length; frames++) {
    at += 4 + bytes.readUInt32BE(at);
    if (at > bytes.length) break;
  }
  return frames;
}

function watch(peer: Socket): { costs: Costs; restore: () => void } {
  const costs: Costs = { parses: 0, stringifies: 0, texts: 0, timers: 0, promises: 0, copiedBytes: 0, writes: 0 };
  const undo: (() => void)[] = [];
  const spy = (owner: object, name: string, seen: (self: unknown, args: unknown[]) => void): void => {
    const untold = owner as Untold;
    const original = untold[name];
    if (original === undefined) return;
    const had = Object.hasOwn(untold, name);
    untold[name] = function (this: unknown, ...args: unknown[]) {
      seen(this, args);
      return original.apply(this, args);
    };
    undo.push(() => {
      if (had) untold[name] = original;
      else delete untold[name];
    });
  };
  spy(JSON, 'parse', () => costs.parses++);
  spy(JSON, 'stringify', () => costs.stringifies++);
  for (const name of TEXT_METHODS) spy(Buffer.prototype, name, () => costs.texts++);
  for (const name of ['setTimeout', 'setInterval']) spy(globalThis, name, () => costs.timers++);
  spy(Uint8Array.prototype, 'set', (_self, [source]) => (costs.copiedBytes += (source as Uint8Array).length));
  spy(Buffer.prototype, 'copy', (self) => (costs.copiedBytes += (self as Buffer).length));
  spy(Buffer, 'concat', (_self, [parts]) => {
    for (const part of parts as Uint8Array[]) costs.copiedBytes += part.length;
  });
  spy(Buffer, 'from', (_self, [source]) => {
    if (ArrayBuffer.isView(source)) costs.copiedBytes += source.byteLength;
  });
  const { _handle: handle } = peer as unknown as { _handle: object };
  // The server's sockets have handles of the same class.
  for (const name of WRITE_METHODS)
    spy(Object.getPrototypeOf(handle), name, (self) => {
      if (self !== handle) costs.writes++;
    });
  const stop = promiseHooks.onInit(() => costs.promises++) as unknown as () => void;
  undo.push(stop);
  return {
    costs,
    restore: () => {
      for (const each of undo.reverse()) each();
    },
  };
}
