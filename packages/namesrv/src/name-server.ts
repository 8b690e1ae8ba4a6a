import { ORDER_TOPIC_CONFIG, RequestCode } from '@rmqns/protocol';
import {
  type Clock,
  type Logger,
  RemotingError,
  RemotingServer,
  SerializeType,
  silentLogger,
  systemClock,
  type TlsServerOptions,
} from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import { proxiesOf, registrarsOf } from './address-ranges.js';
import { BatchUnregistration } from './batch-unregistration.js';
import { BrokerHousekeeping } from './broker-housekeeping.js';
import { NamesrvConfigStore } from './config/namesrv-config-store.js';
import { NamesrvConfiguration } from './config/namesrv-configuration.js';
import { NamesrvError } from './errors.js';
import { EventRecorder } from './event-recorder.js';
import { StoredKvConfig } from './kvconfig/stored-kv-config.js';
import { MinBrokerIdNotifier } from './min-broker-id-notifier.js';
import type { NamesrvCounters } from './namesrv-counters.js';
import type { NamesrvEvent } from './namesrv-event.js';
import {
  type NamesrvOptions,
  NamesrvOptionsError,
  type ResolvedNamesrvOptions,
  resolveNamesrvOptions,
} from './namesrv-options.js';
import { OversizedRegistrations } from './oversized-registrations.js';
import type { AuditRecord } from './processor/audit.js';
import { DefaultRequestProcessor } from './processor/default-request-processor.js';
import { Registrars } from './processor/registrars.js';
import { type ProductEnvironment, ProductRoutes } from './product-routes.js';
import { profiles } from './profile.js';
import { createRequestQueues } from './request-queues.js';
import { RouteInfoManager } from './routeinfo/route-info-manager.js';
import { SlicedWork } from './sliced-work.js';
import { tlsSettingsOf } from './tls-settings.js';
import { forkWorker } from './workers/fork-worker.js';
import { HandedOutRoutes } from './workers/handed-out-routes.js';
import { SettlingProcessor } from './workers/settling-processor.js';
import { WorkerPool } from './workers/worker-pool.js';
import type { SpawnWorker } from './workers/worker-process.js';
import type { WorkerDescription } from './workers/worker-slot.js';

/** A group of more topics leaves in slices; fewer take a few milliseconds. */
const MAX_TOPICS_AT_ONCE = 2_000;

/** What a close may take beside the times that are set: flushes of sockets and files. */
const REST_MILLIS = 3_000;

/** What the surroundings of a name server give it, beside its options. */
export interface NameServerEnvironment {
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Asked for routes that are not known here, where `clusterTest` is set; the server closes it. */
  readonly productEnvironment?: ProductEnvironment;
  /** All keys of the file that the options came from, also those that are not known: code 319 shows them. */
  readonly fileProperties?: ReadonlyMap<string, string>;
  /** Starts a process that serves lookups, where `workers` asks for some; default Node with a module of this package. For tests. */
  readonly spawnWorker?: SpawnWorker;
}

export interface NameServerEventMap {
  /** A change of the tables, after it happened; in order of revisions. Listeners must not block; what one throws is logged. */
  change: [event: NamesrvEvent];
  /** A request by which a person or tool changed something, or tried to, once it is answered. */
  audit: [record: AuditRecord];
}

/**
 * A name server for RocketMQ's brokers and clients (upstream: `NamesrvController`). Made by {@link createNameServer}; does nothing
 * before {@link start}, and can be started once.
 */
export class NameServer extends EventEmitter<NameServerEventMap> implements AsyncDisposable {
  readonly #configuration: NamesrvConfiguration;
  readonly #configStore: NamesrvConfigStore | undefined;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #kvConfig: StoredKvConfig;
  readonly #server: RemotingServer;
  #serverTls: TlsServerOptions;
  readonly #housekeeping: BrokerHousekeeping;
  readonly #productRoutes: ProductRoutes | undefined;
  readonly #counters: NamesrvCounters = { registrationsRead: 0, registrationsUnchanged: 0 };
  readonly #minBrokerIdNotifier: MinBrokerIdNotifier;
  readonly #unregistrations: BatchUnregistration;
  /** None where this process serves alone. */
  readonly #workers: WorkerPool | undefined;
  readonly #handedOutRoutes = new HandedOutRoutes();
  #started = false;
  #closing: Promise<void> | undefined;

  constructor(options: NamesrvOptions, environment: NameServerEnvironment) {
    super();
    const resolved = resolveNamesrvOptions(options);
    this.#logger = environment.logger ?? silentLogger;
    const clock = environment.clock ?? systemClock;
    this.#clock = clock;
    const profile = profiles[resolved.profile];
    const tls = tlsSettingsOf(resolved);
    this.#serverTls = tls.server;
    const events = new EventRecorder(
      (event) => {
        // A kept route may show this entry.
        if (event.type === 'kv.changed' && event.namespace === ORDER_TOPIC_CONFIG) {
          routeInfoManager.routeCache.invalidateTopic(event.key);
        }
        // Some options decide what routes show.
        if (event.type === 'config.changed') this.#handedOutRoutes.invalidateAll();
        if (event.type === 'min-broker-id.changed' && this.options.notifyMinBrokerIdChanged)
          this.#minBrokerIdNotifier.notify(event);
        this.emit('change', event);
      },
      (error, { type, revision }) =>
        this.#logger.error({ err: error, event: type, revision }, `a listener of the event ${type} failed`),
    );
    this.#minBrokerIdNotifier = new MinBrokerIdNotifier({
      version: profile.version,
      clock,
      logger: this.#logger,
      tls: tls.isClientEnabled ? tls.client : undefined,
    });
    this.#configuration = new NamesrvConfiguration({
      options: resolved,
      fileProperties: environment.fileProperties,
      profile,
      events,
    });
    this.#configStore = resolved.configStorePath ? new NamesrvConfigStore(resolved.configStorePath) : undefined;
    const slicedWork = new SlicedWork(clock);
    const routeInfoManager = new RouteInfoManager({
      profile,
      events,
      defaultHeartbeatTimeoutMillis: resolved.defaultHeartbeatTimeoutMillis,
      deleteTopicWithBrokerRegistration: () => this.options.deleteTopicWithBrokerRegistration,
      scanPeriodMillis: resolved.scanNotActiveBrokerInterval ?? profile.scanPeriodMillis,
      largeGroups: {
        topics: MAX_TOPICS_AT_ONCE,
        onLeft: () => void slicedWork.run([routeInfoManager], routeInfoManager.sweepInSteps()),
      },
    });
    this.#kvConfig = new StoredKvConfig({ path: resolved.kvConfigPath, events, logger: this.#logger });
    const connections = {
      allIdleMillis: resolved.serverChannelMaxIdleTimeSeconds * 1000,
      maxFrameBytes: resolved.maxFrameBytes,
      proxyProtocolFrom: proxiesOf(resolved, profile.understandsProxyProtocol),
      version: profile.version,
      responseSerializeType: profile.answersInRequestFormat
        ? 'request'
        : SerializeType[resolved.serializeType ?? 'JSON'],
    } as const;
    const hasWorkers = resolved.workers > 1 && this.#mayHaveWorkers(resolved);
    this.#server = new RemotingServer({
      ...connections,
      host: resolved.bindAddress,
      port: resolved.listenPort,
      backlog: resolved.serverSocketBacklog,
      maxConnections: resolved.maxConnections,
      tls: tls.server,
      divert: hasWorkers ? (socket) => this.#workers?.divert(socket) === true : undefined,
      clock,
      logger: this.#logger,
    });
    this.#productRoutes = productRoutesOf(resolved, environment.productEnvironment, clock, this.#logger);
    this.#unregistrations = new BatchUnregistration({
      capacity: resolved.unRegisterBrokerQueueCapacity,
      unregister: (request) => void routeInfoManager.unregisterBroker(request),
      slicedWork,
      logger: this.#logger,
    });
    const processor = new DefaultRequestProcessor({
      profile,
      options: () => this.#configuration.options,
      isStopping: () => this.#closing !== undefined,
      productRoutes: this.#productRoutes,
      registrars: new Registrars(registrarsOf(resolved), clock, this.#logger),
      configuration: this.#configuration,
      persistConfig: (values) => this.#configStore?.write(values) ?? Promise.resolve(),
      clock,
      constructedMillis: clock.monotonic(),
      logger: this.#logger,
      counters: this.#counters,
      slicedWork,
      unregistrations: this.#unregistrations,
      routeInfoManager,
      kvConfigManager: this.#kvConfig.manager,
      persistKvConfig: () => this.#kvConfig.persist(),
      audit: (record) => void this.emit('audit', record),
    });
    const queues = createRequestQueues(resolved, clock, this.#logger);
    this.#server.registerProcessor(RequestCode.GET_ROUTEINFO_BY_TOPIC, processor, queues.client);
    this.#server.registerDefaultProcessor(
      hasWorkers
        ? new SettlingProcessor(processor, this.#handedOutRoutes, () => this.#unregistrations.settled())
        : processor,
      queues.default,
    );
    if (hasWorkers) {
      routeInfoManager.routeCache.onInvalidated = (topic) => this.#handedOutRoutes.invalidate(topic);
      this.#workers = new WorkerPool({
        workers: resolved.workers,
        spawn: environment.spawnWorker ?? ((listener) => forkWorker(listener)),
        settings: { ...connections, isDebug: resolved.logLevel === 'debug' || resolved.logLevel === 'trace' },
        server: this.#server,
        routes: this.#handedOutRoutes,
        lookUp: (ctx, request) => processor.processRequest(ctx, request),
        queue: queues.client,
        maxFrameBytes: resolved.maxFrameBytes,
        maxConnections: resolved.maxConnections,
        clock,
        logger: this.#logger,
      });
    }
    const oversized = new OversizedRegistrations(routeInfoManager, clock, this.#logger);
    this.#server.on('exception', (channel, error) => oversized.refused(channel, error));
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

  /** What was done so far; a copy. */
  get counters(): Readonly<NamesrvCounters> {
    return { ...this.#counters };
  }

  /**
   * Reads the KV config, then listens.
   *
   * @throws NamesrvError `KV_CONFIG_UNREADABLE` when its file is torn or foreign; `STARTED_ALREADY` the second time; `CLOSED` when
   *   {@link close} was called before or meanwhile: nothing listens then
   * `TLS_UNUSABLE` when TLS is enforced without a certificate and key
   * @throws RemotingError `BIND_FAILED` when the address cannot be listened on
   */
  async start(): Promise<void> {
    this.#checkOpen();
    if (this.#started) {
      throw new NamesrvError('STARTED_ALREADY', 'a name server can be started once; make another one');
    }
    this.#started = true;
    await this.#kvConfig.load({ fromBackup: this.options.kvFromBackup });
    this.#checkOpen();
    await this.#workers?.start();
    this.#checkOpen();
    await this.#server.start().catch(async (error: unknown) => {
      await this.#workers?.close({ graceMillis: 0, goAwayMillis: 0 });
      throw tlsUnusable(error) ?? error;
    });
    this.#checkOpen();
    this.#housekeeping.start();
  }

  /**
   * Sets options that take effect at once, as a request (318) does, whatever `configUpdatePolicy` says; no file is written.
   *
   * @throws NamesrvOptionsError with everything that is wrong with them, such as that they count at the next start only
   */
  changeOptions(options: NamesrvOptions): void {
    this.#configuration.change(options);
  }

  /** `host:port` as bound, with the real port where `listenPort` was 0. Empty before {@link start}. */
  get address(): string {
    return this.#server.address;
  }

  /**
   * Looks at the files of TLS now, instead of within half a second of their change. Given options, those of `tls.server` among them count from
   * now on, but for the mode. What came of it is in the log; what cannot be used changes nothing.
   *
   * @throws NamesrvOptionsError with everything that is wrong with the options
   */
  async reloadTls(options?: NamesrvOptions): Promise<void> {
    const next = options === undefined ? this.#serverTls : tlsSettingsOf(resolveNamesrvOptions(options)).server;
    const isSame = JSON.stringify(next) === JSON.stringify(this.#serverTls);
    this.#serverTls = next;
    await this.#server.reloadTls(isSame ? undefined : next);
  }

  /** What the processes that serve lookups are doing; empty where this one serves alone. */
  async describeWorkers(): Promise<WorkerDescription[]> {
    return (await this.#workers?.describe()) ?? [];
  }

  /** How long {@link close} takes at most, unless a disk hangs. */
  get maxCloseMillis(): number {
    const { shutdownDelaySeconds, shutdownWaitTimeSeconds } = this.options;
    return (shutdownDelaySeconds + shutdownWaitTimeSeconds) * 1_000 + REST_MILLIS;
  }

  /**
   * Answers route lookups with `name server not ready` from now on; after `shutdownDelaySeconds` stops listening, waits at most
   * `shutdownWaitTimeSeconds` for what is under way, closes the connections, and waits for the files. Peers that know GO_AWAY get it
   * once nothing listens; with `enableShutdownGracefully` their connections stand until they have gone, within the same time. With nothing
   * under way and no delay it ends at once. Twice is as good as once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { shutdownDelaySeconds, shutdownWaitTimeSeconds, enableShutdownGracefully } = this.options;
    // From now on the workers ask here, where they learn that it stops.
    this.#handedOutRoutes.invalidateAll();
    if (shutdownDelaySeconds > 0 && this.address !== '') {
      this.#logger.info(
        { shutdownDelaySeconds },
        `route lookups are answered "name server not ready" for ${shutdownDelaySeconds} s, then the server stops listening`,
      );
      await new Promise<void>((resolve) => void this.#clock.setTimeout(resolve, shutdownDelaySeconds * 1_000));
    }
    this.#housekeeping.stop();
    const graceMillis = shutdownWaitTimeSeconds * 1_000;
    const times = { graceMillis, goAwayMillis: enableShutdownGracefully ? graceMillis : 0 };
    const [{ cut }] = await Promise.all([this.#server.close(times), this.#workers?.close(times)]);
    if (cut > 0)
      this.#logger.warn({ cut }, `${cut} requests had not ended in ${shutdownWaitTimeSeconds} s and were cut off`);
    // What was answered is done, so that its events and notifications are there.
    await this.#unregistrations.settled();
    await this.#minBrokerIdNotifier.close();
    await this.#productRoutes?.close();
    await this.#kvConfig.close();
    await this.#configStore?.close();
  }

  /** Says why where workers would have nothing to do. */
  #mayHaveWorkers({ workers, clusterTest, ...options }: ResolvedNamesrvOptions): boolean {
    const why = clusterTest
      ? 'a cluster-test server asks others for its routes'
      : options['tls.server.mode'] === 'enforcing'
        ? 'connections with TLS are served by the process that has the tables'
        : undefined;
    if (why !== undefined) this.#logger.warn({ workers }, `workers=${workers} has no effect: ${why}`);
    return why === undefined;
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

/** What is wrong with TLS where that keeps the server from starting. */
function tlsUnusable(error: unknown): NamesrvError | undefined {
  // The options were checked before; what is left are the files.
  if (!RemotingError.is(error) || error.code !== 'INVALID_ARGUMENT') return undefined;
  const what =
    'and tls.server.mode=enforcing lets nobody in without them; correct tls.server.certPath and tls.server.keyPath';
  return new NamesrvError('TLS_UNUSABLE', `${error.message}, ${what}`, { cause: error });
}

/** @throws NamesrvOptionsError when the option asks for an environment and there is none */
function productRoutesOf(
  { clusterTest, productEnvName: envName }: ResolvedNamesrvOptions,
  environment: ProductEnvironment | undefined,
  clock: Clock,
  logger: Logger,
): ProductRoutes | undefined {
  if (!clusterTest) return undefined;
  if (environment !== undefined) return new ProductRoutes({ environment, envName, clock, logger });
  const problem = 'needs a productEnvironment to ask, which whoever makes the server gives';
  throw new NamesrvOptionsError([{ kind: 'invalid', key: 'clusterTest', text: 'true', problem }]);
}
