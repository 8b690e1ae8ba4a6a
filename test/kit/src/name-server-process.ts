import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CapturedProcess, type ProcessExit } from './captured-process.js';
import { repositoryRoot } from './repository-root.js';
import { TemporaryDirectory } from './temporary-directory.js';

const BOOT_LINE = /The Name Server boot success\. serializeType=JSON, address (\S+):(\d+)/;
const BOOT_TIMEOUT_MILLIS = 15_000;

/** How to start a {@link NameServerProcess}. */
export interface NameServerProcessOptions {
  /** Given with `--set`, one flag each. */
  readonly settings?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Given with `-c`, as a properties file. */
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Beside this process's own. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Default 0: any free one. */
  readonly port?: number | undefined;
}

/** Our name server as a program of its own on 127.0.0.1, with a home in a fresh directory. */
export class NameServerProcess implements AsyncDisposable {
  readonly process: CapturedProcess;
  readonly port: number;
  readonly #home: TemporaryDirectory;

  private constructor(process: CapturedProcess, port: number, home: TemporaryDirectory) {
    this.process = process;
    this.port = port;
    this.#home = home;
  }

  /** Starts it and waits for its boot line, which tells the port. */
  static async start(options: NameServerProcessOptions = {}): Promise<NameServerProcess> {
    const directory = await TemporaryDirectory.create();
    const settings = { kvConfigPath: join(directory.path, 'kvConfig.json'), ...options.settings };
    const args = [join(repositoryRoot, 'apps/namesrv/dist/src/main.js'), '--bind', '127.0.0.1'];
    args.push('--port', String(options.port ?? 0));
    for (const pair of Object.entries(settings)) args.push('--set', pair.join('='));
    if (options.properties !== undefined) {
      const file = join(directory.path, 'namesrv.properties');
      const lines = Object.entries(options.properties).map((pair) => `${pair.join('=')}\n`);
      await writeFile(file, lines.join(''));
      args.push('-c', file);
    }
    const child = new CapturedProcess({
      name: 'our name server',
      command: process.execPath,
      args,
      cwd: directory.path,
      env: options.environment ?? {},
    });
    try {
      const line = await child.waitForOutput(BOOT_LINE, BOOT_TIMEOUT_MILLIS);
      return new NameServerProcess(child, Number(line[2]), directory);
    } catch (error) {
      await child[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** `127.0.0.1:PORT`, as brokers and clients are told. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Its home, removed with it. */
  get directory(): string {
    return this.#home.path;
  }

  get output(): string {
    return this.process.output;
  }

  /** Stops it by a signal; any other exit than 0 is a failure. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const exit: ProcessExit = await this.process.stop(signal, 10_000);
    if (exit.code !== 0) {
      throw new Error(`it ended with code ${exit.code}, signal ${exit.signal} after ${signal}\n${this.process.tail()}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await this.#home[Symbol.asyncDispose]();
  }
}
