import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CapturedProcess, repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';

const BUILD_TIMEOUT_MILLIS = 280_000;
const RUN_TIMEOUT_MILLIS = 120_000;

/** The Go client of the interop kit, built. */
export class GoClient implements AsyncDisposable {
  readonly #directory: TemporaryDirectory;

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory;
  }

  /** Why it cannot be built here; `undefined` when it can. With `RMQNS_INTEROP=required` a missing Go is an error. */
  static missing(): string | undefined {
    if (spawnSync('go', ['version'], { timeout: 20_000 }).status === 0) return undefined;
    const missing = 'no Go: go is not on the PATH';
    if (process.env['RMQNS_INTEROP'] === 'required') throw new Error(`RMQNS_INTEROP=required, but ${missing}`);
    return missing;
  }

  /** Builds it; the first time on a machine this downloads its modules. */
  static async build(): Promise<GoClient> {
    const directory = await TemporaryDirectory.create();
    const build = new CapturedProcess({
      name: 'go build',
      command: 'go',
      args: ['build', '-o', join(directory.path, 'go-client'), '.'],
      cwd: join(repositoryRoot, 'test/interop/kit/go-client'),
    });
    const { code } = await build.waitForExit(BUILD_TIMEOUT_MILLIS);
    if (code !== 0) throw new Error(`the Go client could not be built\n${build.tail()}`);
    return new GoClient(directory);
  }

  /** Runs it; returns its output, or fails with it when the exit code is not 0. */
  async run(...args: readonly string[]): Promise<string> {
    const child = new CapturedProcess({
      name: 'the Go client',
      command: join(this.#directory.path, 'go-client'),
      args,
      cwd: this.#directory.path,
    });
    const { code } = await child.waitForExit(RUN_TIMEOUT_MILLIS);
    if (code !== 0) throw new Error(`${child.name} ended with ${code}\n${child.tail()}`);
    return child.output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }
}
