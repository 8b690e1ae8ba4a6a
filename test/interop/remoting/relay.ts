import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay, as a load balancer is one: connections go to its target of the moment. */
export class Relay implements AsyncDisposable {
  /** Where new connections go, `host:port`. */
  target: string;
  /** Connections taken so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: string, prefix: Buffer) {
    this.target = target;
    this.#server = createServer((socket) => this.#accept(socket, prefix));
  }

  /** @param prefix bytes that the target gets first, for instance a PROXY protocol header */
  static async start(target: string, prefix: Buffer = Buffer.alloc(0)): Promise<Relay> {
    const relay = new Relay(target, prefix);
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

  #accept(near: Socket, prefix: Buffer): void {
    this.connections += 1;
    const [host = '', port = ''] = this.target.split(':');
    const far = connect({ host, port: Number(port) });
    if (prefix.length > 0) far.write(prefix);
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
