import type { CreateConnection } from '../../src/client/create-connection.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { RemotingServer } from '../../src/server/remoting-server.js';
import type { MemorySocket } from '../../src/testing.js';
import { createMemorySockets } from '../../src/testing.js';

/** How new connections fare: they come to be, are refused, or are neither made nor refused. */
export type DialMood = 'open' | 'refuse' | 'hang';

/** A server that answers when told, may go away and come back under its address, and whose connections break in all ways. */
export interface MoodyServer {
  readonly address: string;
  /** How clients reach it where not over TCP. */
  readonly createConnection: CreateConnection | undefined;
  /** Whether it has been given a request of this name, and has not told it to go elsewhere. */
  hasServed(name: string): boolean;
  up(): Promise<void>;
  down(): Promise<void>;
  /** Ends all connections without a word. */
  reset(): void;
  /** Answers one of the requests that wait. */
  answer(n: number, code: number): void;
  /** Lets the next write of each connection fail. Over TCP that cannot be had. */
  breakWrites(): void;
  /** Over TCP only `down` keeps connections from coming to be. */
  setDialMood(mood: DialMood): void;
}

interface Waiting {
  readonly name: string;
  readonly respond: (response: RemotingCommand) => void;
}

const GO_AWAY = 1500;

abstract class AbstractMoodyServer {
  protected server: RemotingServer | undefined;
  readonly #waiting: Waiting[] = [];
  /** How often it has served each; a call may be sent again. */
  readonly #served = new Map<string, number>();

  hasServed(name: string): boolean {
    return this.#count(name) > 0;
  }

  #count(name: string): number {
    return this.#served.get(name) ?? 0;
  }

  reset(): void {
    for (const channel of this.server?.channels ?? []) channel.destroy();
  }

  answer(n: number, code: number): void {
    const [waiting] = this.#waiting.splice(n % Math.max(1, this.#waiting.length), 1);
    if (waiting === undefined) return;
    if (code === GO_AWAY) this.#served.set(waiting.name, this.#count(waiting.name) - 1);
    waiting.respond(RemotingCommand.response(code, waiting.name));
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.destroy();
  }

  protected makeServer(port: number): RemotingServer {
    const server = new RemotingServer({ port });
    server.registerDefaultProcessor({
      processRequest: (_ctx, { remark, isOneway }) => {
        const name = remark ?? '';
        this.#served.set(name, this.#count(name) + 1);
        if (isOneway) return undefined;
        return new Promise((respond) => this.#waiting.push({ name, respond }));
      },
    });
    return server;
  }
}

/** Over sockets of the system. */
export class TcpMoodyServer extends AbstractMoodyServer implements MoodyServer {
  readonly createConnection = undefined;
  #port = 0;

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    if (this.server !== undefined) return;
    const server = this.makeServer(this.#port);
    await server.start();
    this.#port = Number(server.address.split(':')[1]);
    this.server = server;
  }

  breakWrites(): void {}

  setDialMood(): void {}
}

/** Within the process, for very many of them. */
export class MemoryMoodyServer extends AbstractMoodyServer implements MoodyServer {
  readonly address = 'memory:1';
  readonly #sockets = new Set<MemorySocket>();
  #mood: DialMood = 'open';

  readonly createConnection: CreateConnection = () => {
    if (this.#mood === 'hang') return new Promise(() => {});
    if (this.#mood === 'refuse' || this.server === undefined) throw new Error('connect ECONNREFUSED');
    const [near, far] = createMemorySockets();
    this.server.accept(far);
    this.#sockets.add(near);
    near.once('close', () => this.#sockets.delete(near));
    return near;
  };

  async up(): Promise<void> {
    this.server ??= this.makeServer(0);
  }

  breakWrites(): void {
    for (const socket of this.#sockets) {
      const fail = (callback: (error?: Error | null) => void): void => callback(new Error('write EIO'));
      socket._write = (_chunk, _encoding, callback) => fail(callback);
      socket._writev = (_chunks, callback) => fail(callback);
    }
  }

  setDialMood(mood: DialMood): void {
    this.#mood = mood;
  }
}
