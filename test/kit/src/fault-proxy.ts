import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What a {@link FaultProxy} does to its connections. `pass`: nothing. `freeze`: bytes are taken and kept, both ways. `refuse`: connections are
 * reset, and new ones at once. `reset`: each is reset after 30 bytes from the client, in the middle of its first frame.
 * `slow`: every piece waits.
 */
export type Fault = 'pass' | 'freeze' | 'refuse' | 'reset' | { readonly slowMillis: number };

/** The timers of a {@link FaultProxy}; a test's clock has them. */
export interface FaultProxyClock {
  setTimeout(task: () => void, delayMillis: number): { cancel(): void };
}

const RESET_AFTER_BYTES = 30;

/** Stands between clients and a server on 127.0.0.1 and does to their bytes what networks and sick processes do. */
export class FaultProxy implements AsyncDisposable {
  /** All that clients sent over each connection, in the order of the connections; what was kept back included. */
  readonly sent: Buffer[] = [];
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #targetPort: number;
  readonly #clock: FaultProxyClock;
  #fault: Fault = 'pass';

  private constructor(targetPort: number, clock: FaultProxyClock) {
    this.#targetPort = targetPort;
    this.#clock = clock;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(targetPort: number, clock: FaultProxyClock = realClock): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort, clock);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    const address = this.#server.address();
    return typeof address === 'object' ? `127.0.0.1:${address?.port}` : '';
  }

  get fault(): Fault {
    return this.#fault;
  }

  /** From now on, for connections that stand as well. What was kept back goes on when it passes again. */
  set fault(fault: Fault) {
    this.#fault = fault;
    for (const link of this.#links) {
      if (fault === 'refuse') link.reset();
      else link.apply(fault);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const link of this.#links) link.reset();
    await closed;
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.#fault === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const index = this.sent.push(Buffer.alloc(0)) - 1;
    const server = connect({ host: '127.0.0.1', port: this.#targetPort });
    client.on('data', (chunk) => {
      this.sent[index] = Buffer.concat([this.sent[index] ?? Buffer.alloc(0), chunk]);
    });
    const link = new Link(client, server, this.#clock);
    this.#links.add(link);
    client.on('close', () => this.#links.delete(link));
    link.apply(this.#fault);
  }
}

/** One connection of a client and the one to the server for it. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #clock: FaultProxyClock;
  readonly #timers = new Set<{ cancel(): void }>();
  /** What waits, in its order. */
  #kept: { readonly to: Socket; readonly chunk: Buffer }[] = [];
  #fault: Fault = 'pass';
  #bytesBeforeReset = RESET_AFTER_BYTES;

  constructor(client: Socket, server: Socket, clock: FaultProxyClock) {
    this.#client = client;
    this.#server = server;
    this.#clock = clock;
    client.on('data', (chunk) => this.#pass(server, chunk));
    server.on('data', (chunk) => this.#pass(client, chunk));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const timer of this.#timers) timer.cancel();
        this.#timers.clear();
        other.destroy();
      });
    }
  }

  apply(fault: Fault): void {
    this.#fault = fault;
    this.#bytesBeforeReset = RESET_AFTER_BYTES;
    if (fault === 'freeze') return;
    for (const { to, chunk } of this.#kept.splice(0)) this.#pass(to, chunk);
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server.destroy();
  }

  #pass(to: Socket, chunk: Buffer): void {
    if (this.#fault === 'freeze') this.#kept.push({ to, chunk });
    else if (typeof this.#fault === 'object') {
      const timer = this.#clock.setTimeout(() => {
        this.#timers.delete(timer);
        to.write(chunk);
      }, this.#fault.slowMillis);
      this.#timers.add(timer);
    } else if (this.#fault === 'reset' && to === this.#server) this.#passUntilReset(chunk);
    else to.write(chunk);
  }

  #passUntilReset(chunk: Buffer): void {
    const passed = chunk.subarray(0, this.#bytesBeforeReset);
    this.#bytesBeforeReset -= passed.length;
    this.#server.write(passed, () => {
      if (this.#bytesBeforeReset <= 0) this.reset();
    });
  }
}

const realClock: FaultProxyClock = {
  setTimeout: (task, delayMillis) => {
    const timer = setTimeout(task, delayMillis);
    return { cancel: () => clearTimeout(timer) };
  },
};
