import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { requestCodeName } from '@rmqns/protocol';
import { decodeWireFrame, splitFrames } from '@rmqns/test-kit';

/** What agents have sent to a name server. */
export interface Sent {
  /** Requests by the names of their codes. */
  readonly requests: Readonly<Record<string, number>>;
  readonly bytes: number;
}

/** A name server's address that stays the same while the name server behind it is away or another one; counts what comes. */
export class CountingProxy {
  /** When each connection was made, by the clock of the test. */
  readonly connectedMillis: number[] = [];
  #requests: Record<string, number> = {};
  #bytes = 0;
  #port = 0;
  #target: string;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #now: () => number;

  constructor(target: string, now: () => number) {
    this.#target = target;
    this.#now = now;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async up(target = this.#target): Promise<void> {
    this.#target = target;
    this.#server = createServer((socket) => this.#accept(socket)).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nobody listens any more, and all connections have ended. */
  async down(): Promise<void> {
    const closed = this.#server === undefined ? undefined : once(this.#server, 'close');
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  /** What came since the last time that this was asked. */
  take(): Sent {
    const sent = { requests: this.#requests, bytes: this.#bytes };
    this.#requests = {};
    this.#bytes = 0;
    return sent;
  }

  #accept(socket: Socket): void {
    this.connectedMillis.push(this.#now());
    const far = connect(Number(this.#target.split(':')[1]), '127.0.0.1');
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      const { frames, rest } = splitFrames(Buffer.concat([pending, chunk]));
      pending = rest;
      for (const frame of frames) {
        const { code } = decodeWireFrame(frame).header;
        const name = requestCodeName(code) ?? String(code);
        this.#requests[name] = (this.#requests[name] ?? 0) + 1;
      }
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => void socket.write(chunk));
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
