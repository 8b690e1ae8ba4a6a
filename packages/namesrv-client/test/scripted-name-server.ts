import { decodeRegisterBrokerBody, type RegisterBrokerBody, requestCodeName } from '@rmqns/protocol';
import { RemotingCommand, RemotingServer } from '@rmqns/remoting';

type Answer = RemotingCommand | undefined;

/** A server that notes what it is asked and answers what the test says; by default success without anything. */
export class ScriptedNameServer {
  /** All requests so far, in the order of their arrival. */
  readonly requests: RemotingCommand[] = [];
  /** What to answer; nothing leaves the caller waiting, as a frozen process does. */
  answer: (request: RemotingCommand) => Answer | Promise<Answer> = () => RemotingCommand.response(0);
  readonly #server: RemotingServer;
  readonly #waiting: { readonly reached: () => boolean; readonly resolve: () => void }[] = [];

  constructor(port = 0) {
    this.#server = new RemotingServer({ host: '127.0.0.1', port });
    this.#server.registerDefaultProcessor({
      processRequest: (_ctx, request) => {
        this.requests.push(request);
        const result = this.answer(request);
        for (const waiter of this.#waiting.splice(0)) {
          if (waiter.reached()) waiter.resolve();
          else this.#waiting.push(waiter);
        }
        return result;
      },
    });
  }

  static async start(port?: number): Promise<ScriptedNameServer> {
    const server = new ScriptedNameServer(port);
    await server.#server.start();
    return server;
  }

  get address(): string {
    return this.#server.address;
  }

  get connections(): number {
    return this.#server.channels.size;
  }

  /** Never answers from now on. */
  freeze(): void {
    this.answer = () => undefined;
  }

  /** Cuts all connections, as a restart does, but listens on. */
  dropConnections(): void {
    for (const channel of this.#server.channels) channel.destroy();
  }

  /** The names of the codes asked so far. */
  get names(): (string | undefined)[] {
    return this.requests.map((request) => requestCodeName(request.code));
  }

  withCode(code: number): RemotingCommand[] {
    return this.requests.filter((request) => request.code === code);
  }

  /** Resolves with the n-th request of a code, counted from 1, as soon as it is there. */
  async nth(code: number, n: number): Promise<RemotingCommand> {
    const reached = (): boolean => this.withCode(code).length >= n;
    if (!reached()) await new Promise<void>((resolve) => this.#waiting.push({ reached, resolve }));
    return this.withCode(code)[n - 1] as RemotingCommand;
  }

  destroy(): Promise<void> {
    return this.#server.destroy();
  }
}

/** The body of a registration as a name server reads it. */
export function registeredBody(request: RemotingCommand): RegisterBrokerBody {
  return decodeRegisterBrokerBody(request.body, {
    compressed: request.extFields?.['compressed'] === 'true',
    requestVersion: request.version,
    nowMillis: 0,
  });
}

/** The topics of a registration and their permissions. */
export function registeredPerms(request: RemotingCommand): Record<string, number> {
  const table = registeredBody(request).topicConfigSerializeWrapper.topicConfigTable ?? new Map();
  return Object.fromEntries([...table].map(([name, config]) => [name, config.perm]));
}
