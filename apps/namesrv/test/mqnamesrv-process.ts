import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The launcher of the checkout, whichever directory the test runs in. */
export const launcher = fileURLToPath(new URL('../../../../scripts/mqnamesrv', import.meta.url));
const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

/** A fresh directory that is the home of the processes of one test, and is removed after it. */
export class TestHome {
  readonly path = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  readonly #started: MqnamesrvProcess[] = [];

  start(args: readonly string[], options: StartOptions = {}): MqnamesrvProcess {
    const started = new MqnamesrvProcess(this.path, args, options);
    this.#started.push(started);
    return started;
  }

  async remove(): Promise<void> {
    for (const each of this.#started) {
      each.kill('SIGKILL');
      each.closeOutput();
    }
    await Promise.all(this.#started.map((each) => each.ended));
    rmSync(this.path, { recursive: true });
  }
}

export interface StartOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What to run instead of the compiled main file. */
  readonly command?: readonly string[];
  /** Arguments of node itself. */
  readonly nodeArguments?: readonly string[];
}

/** A real mqnamesrv with its output. */
export class MqnamesrvProcess {
  readonly #child: ChildProcess;
  stdout = '';
  stderr = '';
  /** The exit code, or the signal that ended it, once all its output is read. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** The same, whether its output is read or not. */
  readonly exited: Promise<number | NodeJS.Signals>;

  constructor(home: string, args: readonly string[], options: StartOptions) {
    const [command = '', ...first] = options.command ?? [process.execPath, ...(options.nodeArguments ?? []), main];
    this.#child = spawn(command, [...first, ...args], {
      cwd: options.cwd ?? home,
      env: { PATH: process.env['PATH'], HOME: home, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.exited = once(this.#child, 'exit').then(([code, signal]) => code ?? signal);
    this.ended = once(this.#child, 'close').then(([code, signal]) => code ?? signal);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As a reader of the pipe does that stalls. What it took already is not forgotten. */
  stopReading(): void {
    this.#child.stdout?.pause();
  }

  /** As a reader of the pipe does that goes away. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** The line of stdout that matches, as soon as it is there. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.stdoutLines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      const ended = await Promise.race([
        this.ended,
        once(this.#child.stdout as NodeJS.EventEmitter, 'data').then(() => undefined),
      ]);
      if (ended !== undefined && !this.stdoutLines.some((line) => pattern.test(line)))
        throw new Error(`ended with ${ended} before a line ${pattern}\n${this.stdout}\n${this.stderr}`);
    }
  }

  /** Waits until it serves and gives the port. */
  async booted(): Promise<number> {
    const line = await this.line(/^The Name Server boot success\. /);
    return Number(/:(\d+)$/.exec(line)?.[1]);
  }

  /** Complete lines only. */
  get stdoutLines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  /** The lines of the log, parsed. */
  get logLines(): Record<string, unknown>[] {
    return this.stdoutLines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }
}
