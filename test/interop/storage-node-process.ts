import { join } from 'node:path';
import {
  encodeRegisterBrokerBody,
  MASTER_ID,
  MqVersion,
  PermName,
  RegisterBroker,
  type TopicConfig,
} from '@rmqns/protocol';
import { RemotingClient } from '@rmqns/remoting';
import { CapturedProcess, freePort, repositoryRoot } from '@rmqns/test-kit';

const READY_LINE = /the storage node listens on (\S+)/;
const READY_TIMEOUT_MILLIS = 15_000;
const QUEUE_NUMS = 4;

/** The example storage node as a program of its own, registered by hand with any name servers. */
export class StorageNodeProcess implements AsyncDisposable {
  readonly brokerAddr: string;
  readonly #process: CapturedProcess;
  readonly #topics: readonly string[];
  /** A name server forgets a broker whose connection closes, so it stays. */
  readonly #client = new RemotingClient({ version: MqVersion.V4_9_7 });

  private constructor(child: CapturedProcess, brokerAddr: string, topics: readonly string[]) {
    this.#process = child;
    this.brokerAddr = brokerAddr;
    this.#topics = topics;
  }

  /** Starts it with the VIP channel on, and waits until it listens. */
  static async start(topics: readonly string[]): Promise<StorageNodeProcess> {
    const child = new CapturedProcess({
      name: 'the storage node',
      command: process.execPath,
      args: [
        join(repositoryRoot, 'examples/storage-node/dist/src/main.js'),
        ...['--port', String(await freePort()), '--vip-channel'],
        ...['--topics', topics.join(','), '--queues', String(QUEUE_NUMS)],
      ],
    });
    const [, brokerAddr = ''] = await child.waitForOutput(READY_LINE, READY_TIMEOUT_MILLIS);
    return new StorageNodeProcess(child, brokerAddr, topics);
  }

  /** Makes the node known to a name server. */
  async register(namesrvAddr: string): Promise<void> {
    const body = encodeRegisterBrokerBody(
      {
        topicConfigSerializeWrapper: {
          dataVersion: { timestamp: 1, counter: 1, stateVersion: 0 },
          topicConfigTable: new Map(this.#topics.map((topic) => [topic, topicConfig(topic)])),
          topicQueueMappingInfoMap: new Map(),
        },
        filterServerList: [],
      },
      { compressed: false, fiveX: false },
    );
    const brokerAddr = this.brokerAddr;
    const header = { brokerName: 'storage-node', brokerAddr, clusterName: 'DefaultCluster', brokerId: MASTER_ID };
    await this.#client.call(namesrvAddr, RegisterBroker, { ...header, haServerAddr: brokerAddr }, { body });
  }

  /** Stops it by SIGTERM; its exit code. */
  async stop(): Promise<number | null> {
    return (await this.#process.stop('SIGTERM', 10_000)).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.destroy();
    await this.#process[Symbol.asyncDispose]();
  }
}

function topicConfig(topicName: string): TopicConfig {
  return {
    topicName,
    readQueueNums: QUEUE_NUMS,
    writeQueueNums: QUEUE_NUMS,
    perm: PermName.READ | PermName.WRITE,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
  };
}
