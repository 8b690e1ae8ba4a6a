import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { timed } from './timed.js';

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How to start a {@link CapturedProcess}. */
export interface CapturedProcessOptions {
  /** For messages, for instance `broker 5.3.3`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Told of each line of stdout. With it {@link CapturedProcess.writeLine} writes lines to stdin, which is closed otherwise. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** How long {@link CapturedProcess.stop} waits for the end when its caller does not say. Default 20,000 ms. */
  readonly stopTimeoutMillis?: number | undefined;
}

const TAIL_LINES = 40;
const alive = new Set<ChildProcess>();

// A test runner that ends early leaves no server behind.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A child process whose output is kept, that can be waited for by what it prints, and that is signalled by its own id only. */
export class CapturedProcess implements AsyncDisposable {
  readonly name: string;
  /** Settles when the process has ended and its output was read to the end; never rejects. */
  readonly exited: Promise<ProcessExit>;
  #output = '';
  #ended: ProcessExit | undefined;
  readonly #child: ChildProcess;
  readonly #stopTimeoutMillis: number;
  readonly #watchers = new Set<() => void>();

  constructor(options: CapturedProcessOptions) {
    this.name = options.name;
    this.#stopTimeoutMillis = options.stopTimeoutMillis ?? 20_000;
    this.#child = spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: [options.onLine === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const child = this.#child;
    alive.add(child);
    // A process that has ended reads no more; its exit tells.
    child.stdin?.on('error', () => {});
    if (options.onLine !== undefined && child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', options.onLine);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => {
        this.#output += text;
        this.#notify();
      });
    }
    this.exited = new Promise((resolve) => {
      const end = (exit: ProcessExit): void => {
        alive.delete(child);
        this.#ended = exit;
        this.#notify();
        resolve(exit);
      };
      child.once('error', (error) => {
        this.#output += `\n${error.message}\n`;
        end({ code: null, signal: null });
      });
      child.once('close', (code, signal) => end({ code, signal }));
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} did not start:\n${this.tail()}`);
    return this.#child.pid;
  }

  /** All that was printed so far, stdout and stderr as they came. */
  get output(): string {
    return this.#output;
  }

  /** The last lines printed, for messages. */
  tail(): string {
    const lines = this.#output.split('\n').slice(-TAIL_LINES);
    return `--- last output of ${this.name}:\n${lines.join('\n')}\n---`;
  }

  /** Waits until the output matches; fails at once when the process ends first. */
  async waitForOutput(pattern: RegExp, timeoutMillis: number): Promise<RegExpMatchArray> {
    let watcher = (): void => {};
    const found = new Promise<RegExpMatchArray>((resolve, reject) => {
      watcher = () => {
        const match = this.#output.match(pattern);
        if (match !== null) resolve(match);
        else if (this.#ended !== undefined) reject(new Error(`${this.#describeEnd()} before it printed ${pattern}`));
      };
      this.#watchers.add(watcher);
      watcher();
    });
    try {
      return await timed(found, timeoutMillis, () => `${this.name} has not printed ${pattern}\n${this.tail()}`);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  writeLine(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Waits for the end; fails, and kills the process, when it does not come in time. */
  async waitForExit(timeoutMillis: number): Promise<ProcessExit> {
    try {
      return await timed(this.exited, timeoutMillis, () => `${this.name} still runs\n${this.tail()}`);
    } catch (error) {
      this.#child.kill('SIGKILL');
      throw error;
    }
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', timeoutMillis = this.#stopTimeoutMillis): Promise<ProcessExit> {
    if (this.#ended !== undefined) return this.#ended;
    this.signal(signal);
    return await this.waitForExit(timeoutMillis);
  }

  /** Ends the process, frozen or not, without ceremony. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  #describeEnd(): string {
    return `${this.name} ended (code ${this.#ended?.code}, signal ${this.#ended?.signal})\n${this.tail()}\n`;
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
