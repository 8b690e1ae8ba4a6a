import type { TopicConfig } from '@rmqns/protocol';
import {
  type Clock,
  formatSocketAddress,
  type Logger,
  parseSocketAddress,
  RemotingError,
  RemotingServer,
  systemClock,
  type Timer,
} from '@rmqns/remoting';
import { handleConsumers, notifyMembers } from './handle-consumers.js';
import { handlePulls } from './handle-pulls.js';
import { handleSends } from './handle-sends.js';
import { handleTools, VERSION } from './handle-tools.js';
import { hostBytes } from './message.js';
import { MessageStore } from './message-store.js';
import { createNodeState, MAX_MEMBERS, type NodeState } from './node-state.js';
import { topicTable } from './topics-file.js';

/** What a storage node can be given. */
export interface StorageNodeOptions {
  /** The IPv4 address to listen on; default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The IPv4 address that clients dial, which is also part of every message; default `host`. */
  readonly brokerIp?: string | undefined;
  /** Default 0: any free one. */
  readonly port?: number | undefined;
  /** Listens on the port less 2 as well, for clients with `com.rocketmq.sendMessageWithVIPChannel=true`; default false. */
  readonly vipChannel?: boolean | undefined;
  /** The topics that it holds; no send makes a new one. */
  readonly topics: readonly string[];
  /** Queues of each topic; default 4. */
  readonly queueNums?: number | undefined;
  /** What all messages may take in memory; default 256 MiB. A full node refuses sends, it drops nothing. */
  readonly maxStoreBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** How often clients that went silent are looked for. */
const SCAN_MILLIS = 10_000;
const DEFAULT_STORE_BYTES = 256 * 1024 * 1024;
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
  readonly #brokerIp: string;
  readonly #state: NodeState;
  readonly #server: RemotingServer;
  readonly #vipServer: RemotingServer | undefined;
  #brokerAddr = '';
  #scan: Timer | undefined;

  constructor(options: StorageNodeOptions) {
    const { host = '127.0.0.1', port = 0, clock = systemClock, maxStoreBytes = DEFAULT_STORE_BYTES } = options;
    const { brokerIp = host, vipChannel = false } = options;
    if (brokerIp === '0.0.0.0' || brokerIp === '::')
      throw invalid(`no client can dial ${brokerIp}: say with the broker IP which address of this machine they should`);
    if (!Number.isSafeInteger(maxStoreBytes) || maxStoreBytes < 1)
      throw invalid(`the store's limit is a number of bytes, 1 or more, not ${maxStoreBytes}`);
    if (vipChannel && port <= VIP_PORT_DISTANCE)
      throw invalid(
        `with the VIP channel the port is above 2, not ${port}: the node listens on the port less 2 as well`,
      );
    hostBytes(formatSocketAddress(host, port));
    this.#options = options;
    this.#brokerIp = brokerIp;
    this.topicConfigTable = topicTable(options.topics, options.queueNums ?? 4);
    const queueNums = [...this.topicConfigTable].map(([topic, config]) => [topic, config.writeQueueNums] as const);
    const storeHost = hostBytes(formatSocketAddress(brokerIp, port));
    this.#state = createNodeState(clock, new MessageStore(queueNums, maxStoreBytes, clock), storeHost);
    this.#server = this.#createServer(port);
    this.#vipServer = vipChannel ? this.#createServer(port - VIP_PORT_DISTANCE) : undefined;
  }

  /**
   * Begins to listen.
   *
   * @throws RemotingError `BIND_FAILED`, or `CLOSED` when it was closed meanwhile; nothing listens then
   */
  async start(): Promise<void> {
    try {
      await Promise.all([this.#server.start(), this.#vipServer?.start()]);
    } catch (error) {
      await this.close();
      throw error;
    }
    if (this.#state.isClosing) throw new RemotingError('CLOSED', 'the node was closed while it started');
    this.#brokerAddr = formatSocketAddress(this.#brokerIp, parseSocketAddress(this.#server.address).port);
    this.#state.storeHost = hostBytes(this.#brokerAddr);
    this.#scan = this.#state.clock.setInterval(() => this.#expire(), SCAN_MILLIS, true);
  }

  /** What clients dial, `host:port`: the address to register. Empty before {@link start}. */
  get brokerAddr(): string {
    return this.#brokerAddr;
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
  #createServer(port: number): RemotingServer {
    const { host, logger } = this.#options;
    // So many notices can go out in one turn, when a client of every group leaves.
    const onewayPermits = MAX_MEMBERS;
    const server = new RemotingServer({
      host,
      port,
      version: VERSION,
      onewayPermits,
      clock: this.#state.clock,
      logger,
    });
    handleSends(server, this.#state);
    handlePulls(server, this.#state);
    handleConsumers(server, this.#state);
    handleTools(server, this.#state);
    server.on('close', (channel) => notifyMembers(server, this.#state, this.#state.groups.disconnect(channel)));
    return server;
  }

  #expire(): void {
    const now = this.#state.clock.monotonic();
    this.#state.locks.expire(now);
    notifyMembers(this.#server, this.#state, this.#state.groups.expire(now));
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

function invalid(message: string): RemotingError {
  return new RemotingError('INVALID_ARGUMENT', message);
}
