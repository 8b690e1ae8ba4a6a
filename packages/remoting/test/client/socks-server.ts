import { connect, createServer, type Server, type Socket } from 'node:net';

/** How a {@link SocksServer} behaves. */
export interface SocksServerOptions {
  /** Wants these; default no authentication. */
  readonly login?: { readonly username: string; readonly password: string };
  /** Answers CONNECT with this code instead of connecting. */
  readonly refuseWith?: number;
  /** Writes each answer in two pieces, cut here. */
  readonly cutAt?: number;
  /** Says nothing from this answer on: 0 the method, 1 the authentication or the reply. */
  readonly silentFrom?: number;
  /** Sends these bytes instead of its first answer. */
  readonly garbage?: Buffer;
  /** Sent together with the reply to CONNECT, as if the target had spoken first. */
  readonly greeting?: Buffer;
}

/** A small SOCKS5 proxy on loopback, which notes what it was asked. Every name is `127.0.0.1` to it. */
export class SocksServer {
  /** Hosts and ports of CONNECT, as they came: type, host, port. */
  readonly asked: string[] = [];
  readonly #options: SocksServerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(options: SocksServerOptions = {}) {
    this.#options = options;
    this.#server = createServer({ noDelay: true }, (socket) => void this.#serve(socket));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const bound = this.#server.address();
    return `127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    const { login, refuseWith, garbage, greeting } = this.#options;
    const bytes = new Reader(socket);
    const offered = await bytes.take((await bytes.take(2))[1] ?? 0);
    if (garbage !== undefined) {
      socket.write(garbage);
      return;
    }
    const method = login === undefined ? 0 : 2;
    if (!offered.includes(method)) {
      await this.#answer(socket, 0, Buffer.of(5, 0xff));
      return;
    }
    await this.#answer(socket, 0, Buffer.of(5, method));
    if (login !== undefined) {
      const username = await bytes.take((await bytes.take(2))[1] ?? 0);
      const password = await bytes.take((await bytes.take(1))[0] ?? 0);
      const isRight = String(username) === login.username && String(password) === login.password;
      await this.#answer(socket, 1, Buffer.of(1, isRight ? 0 : 1));
      if (!isRight) return;
    }
    const type = (await bytes.take(4))[3];
    const size = type === 1 ? 4 : type === 4 ? 16 : ((await bytes.take(1))[0] ?? 0);
    const host = await bytes.take(size);
    const port = (await bytes.take(2)).readUInt16BE();
    this.asked.push(`${type} ${type === 3 ? host.toString() : host.toString('hex')} ${port}`);
    if (refuseWith !== undefined) {
      await this.#answer(socket, 2, Buffer.of(5, refuseWith, 0, 1, 0, 0, 0, 0, 0, 0));
      return;
    }
    const target = connect(port, '127.0.0.1', async () => {
      const bound = Buffer.concat([Buffer.of(5, 0, 0, 3, 3), Buffer.from('any'), Buffer.of(0, 0)]);
      await this.#answer(socket, 2, greeting === undefined ? bound : Buffer.concat([bound, greeting]));
      socket.write(bytes.rest());
      target.pipe(socket).pipe(target);
    });
    this.#sockets.add(target);
    target.on('error', () => socket.destroy());
  }

  async #answer(socket: Socket, index: number, bytes: Buffer): Promise<void> {
    const { silentFrom = 3, cutAt = bytes.length } = this.#options;
    if (index >= silentFrom) return;
    const first = bytes.subarray(0, Math.min(cutAt, bytes.length));
    await new Promise((resolve) => socket.write(first, resolve));
    // Another turn, so that the pieces are two reads at the other end.
    await new Promise((resolve) => setImmediate(resolve));
    if (first.length < bytes.length) socket.write(bytes.subarray(first.length));
  }
}

/** Takes a known number of bytes at a time. */
class Reader {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) {
      const chunk = this.#socket.read() as Buffer | null;
      if (chunk === null) await new Promise((resolve) => this.#socket.once('readable', resolve));
      else this.#bytes = Buffer.concat([this.#bytes, chunk]);
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  rest(): Buffer {
    return this.#bytes;
  }
}
