import { MqVersion, type TopicConfig } from '@rmqns/protocol';
import {
  type Clock,
  type Logger,
  parseSocketAddress,
  RemotingServer,
  silentLogger,
  systemClock,
  type Timer,
} from '@rmqns/remoting';
import { ConsumerGroups } from './consumer-groups.js';
import { ConsumerOffsets } from './consumer-offsets.js';
import { handleGroups, notifyMembers } from './handle-groups.js';
import { handleOffsets } from './handle-offsets.js';
import { handlePulls } from './handle-pulls.js';
import { handleSends } from './handle-sends.js';
import { handleTools } from './handle-tools.js';
import { HeldPulls } from './held-pulls.js';
import { formatInetHost, inetHost } from './inet-host.js';
import { MessageStore } from './message-store.js';
import type { NodeState } from './node-state.js';
import { QueueLocks } from './queue-locks.js';
import { topicTable } from './topic-table.js';

/** What a storage node can be given. */
export interface StorageNodeOptions {
  /** The address to listen on; default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The IP address that clients dial, which is also part of every message; default `host`. */
  readonly brokerIp?: string | undefined;
  /** Default 0: any free one. */
  readonly port?: number | undefined;
  /** Listens on the port less 2 as well, for clients with `com.rocketmq.sendMessageWithVIPChannel=true`; default false. */
  readonly vipChannel?: boolean | undefined;
  /** Default `storage-node`. */
  readonly brokerName?: string | undefined;
  /** Default `DefaultCluster`. */
  readonly clusterName?: string | undefined;
  /** The topics that it holds; no send makes a new one. */
  readonly topics: readonly string[];
  /** Queues of each topic; default 4. */
  readonly queueNums?: number | undefined;
  /** What all messages may take in memory; default 256 MiB. A full node refuses sends, it drops nothing. */
  readonly maxStoreBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** What this node says it is, so that every client treats it alike. */
const VERSION = MqVersion.V5_3_3;
/** How often clients that went silent are looked for. */
const SCAN_MILLIS = 10_000;
/** Limits of what clients can make a node keep besides messages. */
const MAX_MEMBERS = 10_000;
const MAX_OFFSETS = 100_000;
const MAX_LOCKS = 100_000;
const MAX_HELD_PULLS = 10_000;
const VIP_PORT_DISTANCE = 2;

/**
 * A store in memory that unmodified RocketMQ clients send to and pull from, once a name server's route points at it (reference:
 * storage-node). It speaks no transactions, no delays and no server-side retries: failed messages (36) are refused like every code
 * without a handler, and stay in the consumer until they succeed.
 */
class StorageNode implements AsyncDisposable {
  /** The topics to register, by name. */
  readonly topicConfigTable: ReadonlyMap<string, TopicConfig>;
  readonly #options: StorageNodeOptions;
  readonly #logger: Logger;
  readonly #state: NodeState;
  readonly #server: RemotingServer;
  #vipServer: RemotingServer | undefined;
  #scan: Timer | undefined;

  constructor(options: StorageNodeOptions) {
    const { host = '127.0.0.1', port = 0, queueNums = 4, clock = systemClock } = options;
    this.topicConfigTable = topicTable(options.topics, queueNums);
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#state = {
      brokerName: options.brokerName ?? 'storage-node',
      clusterName: options.clusterName ?? 'DefaultCluster',
      clock,
      store: new MessageStore({
        topics: new Map([...this.topicConfigTable].map(([topic, config]) => [topic, config.writeQueueNums])),
        maxBytes: options.maxStoreBytes ?? 256 * 1024 * 1024,
        clock,
      }),
      heldPulls: new HeldPulls(clock, MAX_HELD_PULLS),
      groups: new ConsumerGroups(MAX_MEMBERS),
      offsets: new ConsumerOffsets(MAX_OFFSETS),
      locks: new QueueLocks(MAX_LOCKS),
      bootTimestamp: clock.now(),
      pulledCount: 0,
      storeHost: inetHost(options.brokerIp ?? host, port),
      isClosing: false,
    };
    this.#server = this.#createServer(host, port);
  }

  /**
   * Begins to listen.
   *
   * @throws RemotingError `BIND_FAILED`; the node is closed then
   */
  async start(): Promise<void> {
    await this.#server.start();
    const { host, port } = parseSocketAddress(this.#server.address);
    this.#state.storeHost = inetHost(this.#options.brokerIp ?? host, port);
    if (this.#options.vipChannel === true) {
      this.#vipServer = this.#createServer(host, port - VIP_PORT_DISTANCE);
      try {
        await this.#vipServer.start();
      } catch (error) {
        this.#vipServer = undefined;
        await this.close();
        throw error;
      }
    }
    this.#scan = this.#state.clock.setInterval(() => this.#expire(), SCAN_MILLIS, true);
  }

  /** What clients dial, `host:port`: the address to register. */
  get brokerAddr(): string {
    return formatInetHost(this.#state.storeHost);
  }

  /** Pulls that wait for a message now. */
  get heldPullCount(): number {
    return this.#state.heldPulls.count;
  }

  /** Refuses new sends, answers what is held, then closes the connections. Twice is as good as once. */
  async close(): Promise<void> {
    this.#state.isClosing = true;
    this.#scan?.cancel();
    this.#state.heldPulls.close();
    await Promise.all([this.#server.close(), this.#vipServer?.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A code without a handler is answered with code 3, at once, by the server itself. */
  #createServer(host: string, port: number): RemotingServer {
    const server = new RemotingServer({ host, port, version: VERSION, clock: this.#state.clock, logger: this.#logger });
    handleSends(server, this.#state);
    handlePulls(server, this.#state);
    handleGroups(server, this.#state);
    handleOffsets(server, this.#state);
    handleTools(server, this.#state, VERSION);
    server.on('close', (channel) => this.#notify(this.#state.groups.disconnect(channel)));
    return server;
  }

  #expire(): void {
    const now = this.#state.clock.monotonic();
    this.#state.locks.expire(now);
    this.#notify(this.#state.groups.expire(now));
  }

  #notify(changedGroups: readonly string[]): void {
    notifyMembers(this.#server, this.#state, changedGroups);
  }
}

/**
 * Makes a node that does not listen yet.
 *
 * @throws RemotingError `INVALID_ARGUMENT` for options that cannot be right
 */
export function createStorageNode(options: StorageNodeOptions): StorageNode {
  return new StorageNode(options);
}
