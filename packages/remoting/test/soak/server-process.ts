import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Tells, Told } from './soak-codes.js';

export interface ServerProcessOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Options of Node. */
  readonly execArgv?: readonly string[] | undefined;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** How a close went: what it cut off, and how long the process took to end after it. */
export interface ClosedProcess {
  readonly cut: number;
  readonly exitMillis: number;
  readonly exitCode: number | null;
}

const running = new Set<ChildProcess>();
// A run that ends early leaves no server behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A soaked server, alone in its process. */
export class ServerProcess implements AsyncDisposable {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor(child: ChildProcess, exited: Promise<void>, address: string) {
    this.#child = child;
    this.#exited = exited;
    this.address = address;
  }

  static async start({ host, port, execArgv = [], env = {} }: ServerProcessOptions = {}): Promise<ServerProcess> {
    const module = fileURLToPath(new URL('soaked-server.js', import.meta.url));
    const child = fork(module, [JSON.stringify({ host, port })], {
      execArgv: [...execArgv],
      env: { ...process.env, ...env },
    });
    running.add(child);
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => {
        running.delete(child);
        resolve();
      });
    });
    const address = await new Promise<string>((resolve, reject) => {
      child.once('message', (tells: Tells) => resolve('address' in tells ? tells.address : ''));
      void exited.then(() => reject(new Error('the server ended before it listened')));
    });
    return new ServerProcess(child, exited, address);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Lets it be, until it is continued. */
  stop(): void {
    this.#child.kill('SIGSTOP');
  }

  continue(): void {
    this.#child.kill('SIGCONT');
  }

  /** Lets it end all its connections without a word. */
  reset(): void {
    this.#child.send('reset' satisfies Told);
  }

  /** Ends it as a crash does, also when it is stopped. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Lets it close as at a deployment, and waits until it has ended by itself. */
  async close(): Promise<ClosedProcess> {
    const closed = new Promise<{ readonly cut: number; readonly at: number }>((resolve) => {
      this.#child.on('message', (tells: Tells) => {
        if ('closed' in tells) resolve({ ...tells.closed, at: performance.now() });
      });
    });
    this.#child.send('close' satisfies Told);
    const { cut, at } = await closed;
    await this.#exited;
    return { cut, exitMillis: performance.now() - at, exitCode: this.#child.exitCode };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
