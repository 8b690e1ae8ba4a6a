import { ORDER_TOPIC_CONFIG } from '@rmqns/protocol';
import { type Clock, type Logger, RemotingServer, SerializeType, silentLogger, systemClock } from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import { BrokerHousekeeping } from './broker-housekeeping.js';
import { NamesrvConfigStore } from './config/namesrv-config-store.js';
import { NamesrvConfiguration } from './config/namesrv-configuration.js';
import { NamesrvError } from './errors.js';
import { EventRecorder } from './event-recorder.js';
import { KvConfigManager } from './kvconfig/kv-config-manager.js';
import { KvConfigStore } from './kvconfig/kv-config-store.js';
import { MinBrokerIdNotifier } from './min-broker-id-notifier.js';
import type { NamesrvEvent } from './namesrv-event.js';
import { type NamesrvOptions, type ResolvedNamesrvOptions, resolveNamesrvOptions } from './namesrv-options.js';
import { DefaultRequestProcessor } from './processor/default-request-processor.js';
import { KeptAnswers } from './processor/kept-answers.js';
import type { NamesrvContext } from './processor/namesrv-context.js';
import { profiles } from './profile.js';
import { RouteInfoManager } from './routeinfo/route-info-manager.js';

/** What the surroundings of a name server give it, beside its options. */
export interface NameServerEnvironment {
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** All keys of the file that the options came from, also those that are not known: code 319 shows them. */
  readonly fileProperties?: ReadonlyMap<string, string>;
}

export interface NameServerEventMap {
  /** A change of the tables, after it happened; in order of revisions. Listeners must not block; what one throws is logged. */
  change: [event: NamesrvEvent];
}

/**
 * A name server for RocketMQ's brokers and clients (upstream: `NamesrvController`). Made by {@link createNameServer}; does nothing
 * before {@link start}, and can be started once.
 */
export class NameServer extends EventEmitter<NameServerEventMap> implements AsyncDisposable {
  readonly #configuration: NamesrvConfiguration;
  readonly #configStore: NamesrvConfigStore | undefined;
  readonly #logger: Logger;
  readonly #kvConfigManager: KvConfigManager;
  readonly #kvConfigStore: KvConfigStore | undefined;
  readonly #server: RemotingServer;
  readonly #housekeeping: BrokerHousekeeping;
  readonly #minBrokerIdNotifier: MinBrokerIdNotifier;
  #started = false;
  #closing: Promise<void> | undefined;

  constructor(options: NamesrvOptions, environment: NameServerEnvironment) {
    super();
    const resolved = resolveNamesrvOptions(options);
    this.#logger = environment.logger ?? silentLogger;
    const clock = environment.clock ?? systemClock;
    const profile = profiles[resolved.profile];
    const events = new EventRecorder(
      (event) => {
        // A kept route may show this entry.
        if (event.type === 'kv.changed' && event.namespace === ORDER_TOPIC_CONFIG) {
          routeInfoManager.routeCache.invalidateTopic(event.key);
        }
        if (event.type === 'min-broker-id.changed' && this.options.notifyMinBrokerIdChanged)
          this.#minBrokerIdNotifier.notify(event);
        this.emit('change', event);
      },
      (error, { type, revision }) =>
        this.#logger.error({ err: error, event: type, revision }, `a listener of the event ${type} failed`),
    );
    this.#minBrokerIdNotifier = new MinBrokerIdNotifier({ version: profile.version, clock, logger: this.#logger });
    this.#configuration = new NamesrvConfiguration({
      options: resolved,
      fileProperties: environment.fileProperties,
      profile,
      events,
    });
    this.#configStore =
      resolved.configStorePath === undefined ? undefined : new NamesrvConfigStore(resolved.configStorePath);
    const routeInfoManager = new RouteInfoManager({
      profile,
      events,
      defaultHeartbeatTimeoutMillis: resolved.defaultHeartbeatTimeoutMillis,
      deleteTopicWithBrokerRegistration: () => this.options.deleteTopicWithBrokerRegistration,
      scanPeriodMillis: resolved.scanNotActiveBrokerInterval ?? profile.scanPeriodMillis,
    });
    this.#kvConfigManager = new KvConfigManager({ events });
    this.#kvConfigStore = resolved.kvConfigPath === undefined ? undefined : new KvConfigStore(resolved.kvConfigPath);
    this.#server = new RemotingServer({
      host: resolved.bindAddress,
      port: resolved.listenPort,
      backlog: resolved.serverSocketBacklog,
      allIdleMillis: resolved.serverChannelMaxIdleTimeSeconds * 1000,
      maxFrameBytes: resolved.maxFrameBytes,
      version: profile.version,
      responseSerializeType: profile.answersInRequestFormat
        ? 'request'
        : SerializeType[resolved.serializeType ?? 'JSON'],
      clock,
      logger: this.#logger,
    });
    const context: NamesrvContext = {
      profile,
      options: () => this.#configuration.options,
      configuration: this.#configuration,
      persistConfig: (values) => this.#configStore?.write(values) ?? Promise.resolve(),
      clock,
      constructedMillis: clock.monotonic(),
      logger: this.#logger,
      routeInfoManager,
      kvConfigManager: this.#kvConfigManager,
      clusterInfoAnswers: new KeptAnswers(),
      topicListAnswers: new KeptAnswers(),
      kvTableAnswers: new KeptAnswers(),
      persistKvConfig: () => this.#kvConfigStore?.persist(() => this.#kvConfigManager.configTable) ?? Promise.resolve(),
    };
    this.#server.registerDefaultProcessor(new DefaultRequestProcessor(context));
    this.#housekeeping = new BrokerHousekeeping(this.#server, routeInfoManager, {
      profile,
      clock,
      logger: this.#logger,
      scanNotActiveBrokerInterval: resolved.scanNotActiveBrokerInterval,
    });
  }

  /** The options as they are in effect now. */
  get options(): ResolvedNamesrvOptions {
    return this.#configuration.options;
  }

  /**
   * Reads the KV config, then listens.
   *
   * @throws NamesrvError `KV_CONFIG_UNREADABLE` when its file is torn or foreign; `STARTED_ALREADY` the second time; `CLOSED` when
   *   {@link close} was called before or meanwhile: nothing listens then
   * @throws RemotingError `BIND_FAILED` when the address cannot be listened on
   */
  async start(): Promise<void> {
    this.#checkOpen();
    if (this.#started) {
      throw new NamesrvError('STARTED_ALREADY', 'a name server can be started once; make another one');
    }
    this.#started = true;
    if (this.#kvConfigStore !== undefined) this.#kvConfigManager.load(await this.#kvConfigStore.load());
    this.#checkOpen();
    await this.#server.start();
    this.#checkOpen();
    this.#housekeeping.start();
  }

  /** `host:port` as bound, with the real port where `listenPort` was 0. Empty before {@link start}. */
  get address(): string {
    return this.#server.address;
  }

  /** Stops listening, answers what is under way, closes the connections, and waits for the KV file. Twice is as good as once. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#housekeeping.stop();
      await this.#server.close();
      await this.#minBrokerIdNotifier.close();
      await this.#kvConfigStore?.close();
      await this.#configStore?.close();
    })();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new NamesrvError('CLOSED', 'the name server was closed and does not start; make another one');
  }
}

/**
 * Makes a name server; it listens once {@link NameServer.start} is called.
 *
 * @throws NamesrvOptionsError with everything that is wrong with the options
 */
export function createNameServer(options: NamesrvOptions = {}, environment: NameServerEnvironment = {}): NameServer {
  return new NameServer(options, environment);
}
