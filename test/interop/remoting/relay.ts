import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a {@link Relay} does beside passing bytes on. */
export interface RelayOptions {
  /** Bytes that the target gets first, for instance a PROXY protocol header. */
  readonly prefix?: Buffer | undefined;
  /** Told of what either side sends; `connection` counts from 1. */
  readonly onData?: ((chunk: Buffer, from: 'client' | 'server', connection: number) => void) | undefined;
}

/** A TCP relay, as a load balancer is one: connections go to its target of the moment. */
export class Relay implements AsyncDisposable {
  /** Where new connections go, `host:port`. */
  target: string;
  /** Connections taken so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: string, options: RelayOptions) {
    this.target = target;
    this.#server = createServer((socket) => this.#accept(socket, options));
  }

  static async start(target: string, options: RelayOptions = {}): Promise<Relay> {
    const relay = new Relay(target, options);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get address(): string {
    const address = this.#server.address();
    return typeof address === 'object' ? `127.0.0.1:${address?.port}` : '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(near: Socket, { prefix, onData }: RelayOptions): void {
    this.connections += 1;
    const connection = this.connections;
    const [host = '', port = ''] = this.target.split(':');
    const far = connect({ host, port: Number(port) });
    if (prefix !== undefined) far.write(prefix);
    near.on('data', (chunk) => onData?.(chunk, 'client', connection));
    far.on('data', (chunk) => onData?.(chunk, 'server', connection));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(other);
      // A reset is a close; 'close' follows it.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroySoon();
      });
    }
  }
}
