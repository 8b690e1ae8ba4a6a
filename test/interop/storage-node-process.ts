import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CapturedProcess, freePort, repositoryRoot, TemporaryDirectory } from '@rmqns/test-kit';

const READY_LINE = /the storage node listens on (\S+)/;
const TIMEOUT_MILLIS = 15_000;
const QUEUE_NUMS = 4;

/** The example storage node as a program of its own, and the agent beside it that registers it as a real broker's configuration says. */
export class StorageNodeProcess implements AsyncDisposable {
  readonly brokerAddr: string;
  readonly #directory: TemporaryDirectory;
  readonly #node: CapturedProcess;
  #agent: CapturedProcess | undefined;

  private constructor(directory: TemporaryDirectory, node: CapturedProcess, brokerAddr: string) {
    this.#directory = directory;
    this.#node = node;
    this.brokerAddr = brokerAddr;
  }

  /** Starts the node with the VIP channel on, and waits until it listens; `topics.json` stands in its store then. */
  static async start(topics: readonly string[]): Promise<StorageNodeProcess> {
    const directory = await TemporaryDirectory.create();
    const node = new CapturedProcess({
      name: 'the storage node',
      command: process.execPath,
      args: [
        join(repositoryRoot, 'examples/storage-node/dist/src/main.js'),
        ...['--port', String(await freePort()), '--vip-channel', '--store', directory.path],
        ...['--topics', topics.join(','), '--queues', String(QUEUE_NUMS)],
      ],
    });
    const [, brokerAddr = ''] = await node.waitForOutput(READY_LINE, TIMEOUT_MILLIS);
    return new StorageNodeProcess(directory, node, brokerAddr);
  }

  /** Starts `rmq-agent -c broker.conf`, and waits until all these name servers know the node. */
  async register(namesrvAddrs: readonly string[]): Promise<void> {
    const [brokerIP1, listenPort] = this.brokerAddr.split(':');
    const settings = {
      brokerName: 'storage-node',
      brokerIP1,
      brokerIP2: brokerIP1,
      listenPort,
      namesrvAddr: namesrvAddrs.join(';'),
      storePathRootDir: this.#directory.path,
    };
    const file = join(this.#directory.path, 'broker.conf');
    await writeFile(
      file,
      Object.entries(settings).map((entry) => `${entry.join(' = ')}\n`),
    );
    const agent = new CapturedProcess({
      name: 'rmq-agent',
      command: join(repositoryRoot, 'scripts/rmq-agent'),
      args: ['-c', file],
    });
    this.#agent = agent;
    const count = namesrvAddrs.length;
    await agent.waitForOutput(new RegExp(`registered with ${count} of ${count} name servers`), TIMEOUT_MILLIS);
  }

  /** Stops the agent by SIGTERM; its exit code. */
  async stopAgent(): Promise<number | null | undefined> {
    return (await this.#agent?.stop('SIGTERM', 10_000))?.code;
  }

  /** Stops the node by SIGTERM; its exit code. */
  async stop(): Promise<number | null> {
    return (await this.#node.stop('SIGTERM', 10_000)).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
    await this.#node[Symbol.asyncDispose]();
    await this.#directory[Symbol.asyncDispose]();
  }
}
