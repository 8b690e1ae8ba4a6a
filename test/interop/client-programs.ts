import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CapturedProcess, repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';

const kit = join(repositoryRoot, 'test/interop/kit');
const RUN_TIMEOUT_MILLIS = 120_000;

/** A client program of the kit that needs no build: what runs it, and what to install for it. */
export interface ClientProgram {
  readonly name: string;
  readonly command: string;
  /** What comes before its own arguments. */
  readonly args: readonly string[];
  /** Ends with 0 where the program can run. */
  readonly check: readonly string[];
  /** How it is installed, for messages. */
  readonly install: string;
}

function nodeClient(name: string, packageName: string, file: string): ClientProgram {
  const directory = join(kit, 'node-clients');
  return {
    name,
    command: process.execPath,
    args: [join(directory, file)],
    check: ['-e', `require.resolve(${JSON.stringify(packageName)}, { paths: [${JSON.stringify(directory)}] })`],
    install: 'npm ci --ignore-scripts --prefix test/interop/kit/node-clients',
  };
}

const python = join(kit, 'python-client/.venv/bin/python');

export const aliOnsClient: ClientProgram = nodeClient('client ali-ons', 'ali-ons', 'ali-ons.mjs');
export const nodeGrpcClient: ClientProgram = nodeClient('Node gRPC client', 'rocketmq-client-nodejs', 'grpc.mjs');
export const pythonClient: ClientProgram = {
  name: 'Python client',
  command: python,
  args: [join(kit, 'python-client/main.py')],
  check: ['-c', 'import rocketmq.client'],
  install: 'test/interop/kit/python-client/install',
};

/** Why a client cannot run here; `undefined` when it can. With `RMQNS_INTEROP=required` that is an error. */
export function missingClient({ name, command, check, install }: ClientProgram): string | undefined {
  const { status, error, stderr } = spawnSync(command, check, { encoding: 'utf8', timeout: 20_000 });
  if (status === 0) return undefined;
  const why = error?.message ?? stderr.match(/^\w*Error: .*/m)?.[0] ?? stderr.trim();
  const missing = `the ${name} does not run (${why}); to install it: ${install}`;
  if (process.env['RMQNS_INTEROP'] === 'required') throw new Error(`RMQNS_INTEROP=required, but ${missing}`);
  return missing;
}

/** Runs client programs, whose logs go to a home of their own. */
export class ClientRunner implements AsyncDisposable {
  readonly #home: TemporaryDirectory;

  private constructor(home: TemporaryDirectory) {
    this.#home = home;
  }

  static async create(): Promise<ClientRunner> {
    return new ClientRunner(await TemporaryDirectory.create());
  }

  /** Returns its output, or fails with it when the exit code is not 0. */
  async run({ name, command, args: programArgs }: ClientProgram, ...args: readonly string[]): Promise<string> {
    await using child = new CapturedProcess({
      name,
      command,
      args: [...programArgs, ...args],
      cwd: this.#home.path,
      env: { HOME: this.#home.path },
    });
    const { code } = await child.waitForExit(RUN_TIMEOUT_MILLIS);
    if (code !== 0) throw new Error(`the ${name} ended with ${code}\n${child.tail()}`);
    return child.output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
  }
}
