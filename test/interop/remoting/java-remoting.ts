import { type ApacheProcesses, type ApacheVersion, type CapturedProcess, timed } from '@rmqns/test-kit';

/** Request codes that `RemotingPeer.java` serves, and {@link serveAsJava} too. */
export const Code = {
  ECHO: 9001,
  FAIL: 9002,
  THROW: 9003,
  SILENT: 9004,
  REJECT: 9005,
  BLOCK: 9006,
  CALL_BACK: 9007,
  CALL_BACK_ONEWAY: 9008,
  WHO: 9009,
  NOBODY: 9999,
} as const;

type SerializeName = 'JSON' | 'ROCKETMQ';

/** A request that Java makes. */
export interface JavaRequest {
  readonly code: number;
  /** Fields of a header class: `brokerAddr`, `brokerId`, `brokerName`, `clusterName`. */
  readonly header?: Readonly<Record<string, string | number>>;
  readonly extFields?: Readonly<Record<string, string>>;
  readonly remark?: string;
  readonly body?: string;
  /** So many bytes that {@link madeUpBody} makes too. */
  readonly bodyBytes?: number;
  readonly serialize?: SerializeName;
  /** MQVersion ordinal; default that of the release. */
  readonly version?: number;
}

/** A command that Java read. */
export interface JavaCommand {
  readonly code: number;
  readonly flag: number;
  readonly version: number;
  readonly language?: string;
  readonly remark?: string;
  readonly extFields?: Readonly<Record<string, string>>;
  readonly serialize: SerializeName;
  readonly bodyBytes: number;
  readonly bodySha1: string;
  /** Up to 1024 bytes. */
  readonly body?: string;
}

/** How long a call took in Java; its answer, where there is one. */
export type JavaAnswer = JavaCommand & { readonly millis: number };

/** What Java threw. */
export class JavaError extends Error {
  /** The simple name of its class. */
  readonly className: string;
  override readonly cause: string;

  constructor(className: string, message: string, cause: string) {
    super(message);
    this.className = className;
    this.cause = cause;
  }
}

type Settings = Readonly<Record<string, string | number | boolean>>;

export interface JavaClientOptions {
  /** Properties of NettyClientConfig; those that a release lacks are left out. */
  readonly set?: Settings;
  readonly credentials?: { readonly accessKey: string; readonly secretKey: string; readonly securityToken?: string };
}

export interface JavaServerOptions {
  /** Properties of NettyServerConfig; those that a release lacks are left out. */
  readonly set?: Settings;
  /** The account whose signature every request must have. */
  readonly verify?: { readonly accessKey: string; readonly secretKey: string };
}

interface Reply {
  readonly id?: number;
  readonly event?: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
  readonly cause?: string;
}

const START_TIMEOUT_MILLIS = 60_000;
const COMMAND_TIMEOUT_MILLIS = 60_000;

/** One Java process of a release, with its `NettyRemotingClient`s and `NettyRemotingServer`s. */
export class JavaRemoting {
  readonly version: ApacheVersion;
  readonly #process: CapturedProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #oneway: JavaCommand[] = [];
  readonly #onewayWaiting: ((command: JavaCommand) => void)[] = [];
  #nextId = 0;

  private constructor(apache: ApacheProcesses, version: ApacheVersion) {
    this.version = version;
    this.#process = apache.startJava(version, 'RemotingPeer.java', (line) => this.#take(line));
  }

  static async start(apache: ApacheProcesses, version: ApacheVersion): Promise<JavaRemoting> {
    const java = new JavaRemoting(apache, version);
    await java.#process.waitForOutput(/^@.*"ready"/m, START_TIMEOUT_MILLIS);
    await java.withoutTls();
    return java;
  }

  /** MQVersion ordinal of the release, which its commands carry. */
  get ordinal(): number {
    const [major = 0, minor = 0, patch = 0] = this.version.split('.').map(Number);
    return 213 + ((major - 4) * 100 + minor * 10 + patch) * 2;
  }

  async client(options: JavaClientOptions = {}): Promise<JavaClient> {
    const name = `client-${this.#nextId}`;
    await this.command('client', { name, ...options });
    return new JavaClient(this, name);
  }

  async server(options: JavaServerOptions = {}): Promise<JavaServer> {
    const name = `server-${this.#nextId}`;
    const { port } = (await this.command('server', { name, ...options })) as { port: number };
    return new JavaServer(this, name, `127.0.0.1:${port}`);
  }

  /** Sets fields of TlsSystemConfig, for the clients and servers made from here on. */
  async tls(set: Settings): Promise<void> {
    await this.command('tls', { set });
  }

  /** Servers without TLS; with it each would take seconds to make itself a certificate. */
  async withoutTls(): Promise<void> {
    await this.tls({ tlsMode: 'disabled' });
  }

  /** Lets one processor of BLOCK go on. */
  async release(): Promise<void> {
    await this.command('release', {});
  }

  /** The next oneway request that came to a server or client. */
  nextOneway(): Promise<JavaCommand> {
    const command = this.#oneway.shift();
    const next =
      command === undefined
        ? new Promise<JavaCommand>((resolve) => this.#onewayWaiting.push(resolve))
        : Promise.resolve(command);
    return timed(next, 5_000, () => 'no oneway request came');
  }

  command(op: string, parameters: object): Promise<unknown> {
    this.#nextId += 1;
    const id = this.#nextId;
    const reply = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#process.writeLine(JSON.stringify({ id, op, ...parameters }));
    return timed(reply, COMMAND_TIMEOUT_MILLIS, () => `no reply to ${op}\n${this.#process.tail()}`);
  }

  /** A command whose reply nobody waits for. */
  tell(op: string, parameters: object): void {
    this.#process.writeLine(JSON.stringify({ op, ...parameters }));
  }

  #take(line: string): void {
    if (!line.startsWith('@')) return;
    const reply = JSON.parse(line.slice(1)) as Reply;
    if (reply.event === 'oneway') {
      const command = reply as unknown as JavaCommand;
      const waiting = this.#onewayWaiting.shift();
      if (waiting === undefined) this.#oneway.push(command);
      else waiting(command);
    }
    if (reply.id === undefined) return;
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply.result);
    else waiting?.reject(new JavaError(reply.error, reply.message ?? '', reply.cause ?? ''));
  }
}

/** A `NettyRemotingClient`. It serves ECHO for servers that call it. */
export class JavaClient implements Disposable {
  readonly #java: JavaRemoting;
  readonly #name: string;

  constructor(java: JavaRemoting, name: string) {
    this.#java = java;
    this.#name = name;
  }

  async invokeSync(address: string, request: JavaRequest, timeoutMillis = 5_000): Promise<JavaAnswer> {
    return (await this.#invoke('invokeSync', address, request, timeoutMillis)) as JavaAnswer;
  }

  async invokeAsync(address: string, request: JavaRequest, timeoutMillis = 5_000): Promise<JavaAnswer> {
    return (await this.#invoke('invokeAsync', address, request, timeoutMillis)) as JavaAnswer;
  }

  async invokeOneway(address: string, request: JavaRequest, timeoutMillis = 5_000): Promise<void> {
    await this.#invoke('invokeOneway', address, request, timeoutMillis);
  }

  /** Begins its shutdown, which takes Java seconds that nobody has to wait for. */
  [Symbol.dispose](): void {
    this.#java.tell('shutdown', { name: this.#name });
  }

  #invoke(op: string, address: string, request: JavaRequest, timeoutMillis: number): Promise<unknown> {
    return this.#java.command(op, { name: this.#name, address, request, timeoutMillis });
  }
}

/** A `NettyRemotingServer` on a free port, which serves the codes of {@link Code}. */
export class JavaServer implements Disposable {
  readonly address: string;
  readonly #java: JavaRemoting;
  readonly #name: string;

  constructor(java: JavaRemoting, name: string, address: string) {
    this.#java = java;
    this.#name = name;
    this.address = address;
  }

  /** Shuts it down; with `enableShutdownGracefully` that lasts its `shutdownWaitTimeSeconds` and longer. */
  async shutdown(): Promise<void> {
    await this.#java.command('shutdown', { name: this.#name });
  }

  /** Begins its shutdown, which takes Java seconds that nobody has to wait for. */
  [Symbol.dispose](): void {
    this.#java.tell('shutdown', { name: this.#name });
  }
}

/** The body that Java makes for `bodyBytes`. */
export function madeUpBody(bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i++) body[i] = i * 31;
  return body;
}
