import { ORDER_TOPIC_CONFIG } from '@rmqns/protocol';
import { type Clock, type Logger, silentLogger, systemClock } from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import { registrarsOf } from './address-ranges.js';
import { BatchUnregistration } from './batch-unregistration.js';
import { BrokerHousekeeping } from './broker-housekeeping.js';
import { NamesrvConfigStore } from './config/namesrv-config-store.js';
import { NamesrvConfiguration } from './config/namesrv-configuration.js';
import { createRouteInfoManager } from './create-route-info-manager.js';
import { NamesrvError } from './errors.js';
import { EventRecorder } from './event-recorder.js';
import { StoredKvConfig } from './kvconfig/stored-kv-config.js';
import { MinBrokerIdNotifier } from './min-broker-id-notifier.js';
import type { NamesrvCounters } from './namesrv-counters.js';
import type { NamesrvEvent } from './namesrv-event.js';
import { type NamesrvOptions, type ResolvedNamesrvOptions, resolveNamesrvOptions } from './namesrv-options.js';
import { OversizedRegistrations } from './oversized-registrations.js';
import type { AuditRecord } from './processor/audit.js';
import { DefaultRequestProcessor } from './processor/default-request-processor.js';
import { Registrars } from './processor/registrars.js';
import { type ProductEnvironment, type ProductRoutes, productRoutesOf } from './product-routes.js';
import { profiles } from './profile.js';
import { RequestServer } from './request-server.js';
import type { RouteInfoManager } from './routeinfo/route-info-manager.js';
import { SlicedWork } from './sliced-work.js';
import { tlsSettingsOf } from './tls-settings.js';
import type { SpawnWorker } from './workers/worker-process.js';
import type { WorkerDescription } from './workers/worker-slot.js';

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
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #configuration: NamesrvConfiguration;
  readonly #configStore: NamesrvConfigStore | undefined;
  readonly #kvConfig: StoredKvConfig;
  readonly #routeInfoManager: RouteInfoManager;
  readonly #unregistrations: BatchUnregistration;
  readonly #minBrokerIdNotifier: MinBrokerIdNotifier;
  readonly #productRoutes: ProductRoutes | undefined;
  readonly #requestServer: RequestServer;
  readonly #housekeeping: BrokerHousekeeping;
  readonly #counters: NamesrvCounters = { registrationsRead: 0, registrationsUnchanged: 0 };
  #started = false;
  #closing: Promise<void> | undefined;

  constructor(options: NamesrvOptions, environment: NameServerEnvironment) {
    super();
    const resolved = resolveNamesrvOptions(options);
    const { logger = silentLogger, clock = systemClock, fileProperties, productEnvironment, spawnWorker } = environment;
    const profile = profiles[resolved.profile];
    const tls = tlsSettingsOf(resolved);
    const events = new EventRecorder(
      (event) => this.#changed(event),
      (error, { type, revision }) =>
        logger.error({ err: error, event: type, revision }, `a listener of the event ${type} failed`),
    );
    const slicedWork = new SlicedWork(clock);
    this.#logger = logger;
    this.#clock = clock;
    this.#configuration = new NamesrvConfiguration({ options: resolved, fileProperties, profile, events });
    this.#configStore = resolved.configStorePath ? new NamesrvConfigStore(resolved.configStorePath) : undefined;
    this.#kvConfig = new StoredKvConfig({ path: resolved.kvConfigPath, events, logger });
    this.#routeInfoManager = createRouteInfoManager({ profile, events, slicedWork, options: () => this.options });
    this.#unregistrations = new BatchUnregistration({
      capacity: resolved.unRegisterBrokerQueueCapacity,
      unregister: (request) => void this.#routeInfoManager.unregisterBroker(request),
      slicedWork,
      logger,
    });
    this.#minBrokerIdNotifier = new MinBrokerIdNotifier({
      version: profile.version,
      clock,
      logger,
      tls: tls.isClientEnabled ? tls.client : undefined,
    });
    this.#productRoutes = productRoutesOf(resolved, productEnvironment, clock, logger);
    const processor = new DefaultRequestProcessor({
      profile,
      options: () => this.options,
      isStopping: () => this.#closing !== undefined,
      productRoutes: this.#productRoutes,
      registrars: new Registrars(registrarsOf(resolved), clock, logger),
      configuration: this.#configuration,
      persistConfig: (values) => this.#configStore?.write(values) ?? Promise.resolve(),
      clock,
      constructedMillis: clock.monotonic(),
      logger,
      counters: this.#counters,
      slicedWork,
      unregistrations: this.#unregistrations,
      routeInfoManager: this.#routeInfoManager,
      kvConfigManager: this.#kvConfig.manager,
      persistKvConfig: () => this.#kvConfig.persist(),
      audit: (record) => void this.emit('audit', record),
    });
    this.#requestServer = new RequestServer({
      options: resolved,
      profile,
      tls: tls.server,
      processor,
      routeCache: this.#routeInfoManager.routeCache,
      carriedOut: () => this.#unregistrations.settled(),
      spawnWorker,
      clock,
      logger,
    });
    const { remotingServer } = this.#requestServer;
    const oversized = new OversizedRegistrations(this.#routeInfoManager, clock, logger);
    remotingServer.on('exception', (channel, error) => oversized.refused(channel, error));
    this.#housekeeping = new BrokerHousekeeping(remotingServer, this.#routeInfoManager, {
      profile,
      clock,
      logger,
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
   *   {@link close} was called before or meanwhile: nothing listens then; `TLS_UNUSABLE` when TLS is enforced without a certificate
   *   and key
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
    await this.#requestServer.startWorkers();
    this.#checkOpen();
    await this.#requestServer.listen();
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
    return this.#requestServer.address;
  }

  /**
   * Looks at the files of TLS now, instead of within half a second of their change. Given options, those of `tls.server` among them count from
   * now on, but for the mode. What came of it is in the log; what cannot be used changes nothing.
   *
   * @throws NamesrvOptionsError with everything that is wrong with the options
   */
  async reloadTls(options?: NamesrvOptions): Promise<void> {
    await this.#requestServer.reloadTls(options && tlsSettingsOf(resolveNamesrvOptions(options)).server);
  }

  /** What the processes that serve lookups are doing; empty where this one serves alone. */
  describeWorkers(): Promise<WorkerDescription[]> {
    return this.#requestServer.describeWorkers();
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
    this.#requestServer.forgetRoutes();
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
    const { cut } = await this.#requestServer.close(times);
    if (cut > 0)
      this.#logger.warn({ cut }, `${cut} requests had not ended in ${shutdownWaitTimeSeconds} s and were cut off`);
    // What was answered is done, so that its events and notifications are there.
    await this.#unregistrations.settled();
    await this.#minBrokerIdNotifier.close();
    await this.#productRoutes?.close();
    await this.#kvConfig.close();
    await this.#configStore?.close();
  }

  #changed(event: NamesrvEvent): void {
    // A kept route may show this entry.
    if (event.type === 'kv.changed' && event.namespace === ORDER_TOPIC_CONFIG)
      this.#routeInfoManager.routeCache.invalidateTopic(event.key);
    // Some options decide what routes show.
    if (event.type === 'config.changed') this.#requestServer.forgetRoutes();
    if (event.type === 'min-broker-id.changed' && this.options.notifyMinBrokerIdChanged)
      this.#minBrokerIdNotifier.notify(event);
    this.emit('change', event);
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
