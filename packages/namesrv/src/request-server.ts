import { RequestCode } from '@rmqns/protocol';
import { type Clock, type Logger, RemotingError, RemotingServer, type TlsServerOptions } from '@rmqns/remoting';
import { connectionSettingsOf } from './connection-settings.js';
import { NamesrvError } from './errors.js';
import type { ResolvedNamesrvOptions } from './namesrv-options.js';
import type { DefaultRequestProcessor } from './processor/default-request-processor.js';
import type { Profile } from './profile.js';
import { createRequestQueues } from './request-queues.js';
import type { RouteCache } from './routeinfo/route-cache.js';
import { forkWorker } from './workers/fork-worker.js';
import { SettlingProcessor } from './workers/settling-processor.js';
import { WorkerPool } from './workers/worker-pool.js';
import type { SpawnWorker } from './workers/worker-process.js';
import type { StopTimes, WorkerDescription } from './workers/worker-slot.js';
import { workersInEffect } from './workers/workers-in-effect.js';

export interface RequestServerOptions {
  readonly options: ResolvedNamesrvOptions;
  readonly profile: Profile;
  readonly tls: TlsServerOptions;
  readonly processor: DefaultRequestProcessor;
  /** The routes that workers get copies of. */
  readonly routeCache: RouteCache;
  /** Resolves when all is carried out that was answered before it is; `undefined` when it is. */
  readonly carriedOut: () => Promise<unknown> | undefined;
  /** `undefined` for processes of Node. */
  readonly spawnWorker: SpawnWorker | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Has requests come to the processor: listens, keeps them in their queues, and lends connections to the processes that serve lookups, where there
 * are some.
 */
export class RequestServer {
  readonly remotingServer: RemotingServer;
  /** None where this process serves alone. */
  readonly #workers: WorkerPool | undefined;
  #tls: TlsServerOptions;

  constructor(init: RequestServerOptions) {
    const { options, profile, tls, processor, routeCache, carriedOut, spawnWorker, clock, logger } = init;
    const { maxConnections, logLevel } = options;
    const connections = connectionSettingsOf(options, profile);
    const queues = createRequestQueues(options, clock, logger);
    const workers = workersInEffect(options, logger);
    this.#tls = tls;
    this.remotingServer = new RemotingServer({
      ...connections,
      host: options.bindAddress,
      port: options.listenPort,
      backlog: options.serverSocketBacklog,
      maxConnections,
      tls,
      divert: workers > 0 ? (socket) => this.#workers?.divert(socket) === true : undefined,
      clock,
      logger,
    });
    this.remotingServer.registerProcessor(RequestCode.GET_ROUTEINFO_BY_TOPIC, processor, queues.client);
    if (workers === 0) {
      this.remotingServer.registerDefaultProcessor(processor, queues.default);
      return;
    }
    const pool = new WorkerPool({
      workers,
      spawn: spawnWorker ?? ((listener) => forkWorker(listener)),
      settings: { ...connections, isDebug: logLevel === 'debug' || logLevel === 'trace' },
      server: this.remotingServer,
      lookUp: (ctx, request) => processor.processRequest(ctx, request),
      queue: queues.client,
      maxFrameBytes: connections.maxFrameBytes,
      maxConnections,
      clock,
      logger,
    });
    routeCache.onInvalidated = (topic) => pool.routes.invalidate(topic);
    const settling = new SettlingProcessor(processor, pool.routes, carriedOut);
    this.remotingServer.registerDefaultProcessor(settling, queues.default);
    this.#workers = pool;
  }

  /** `host:port` as bound, empty before {@link listen}. */
  get address(): string {
    return this.remotingServer.address;
  }

  /** Resolves when each worker serves, or has failed to. */
  async startWorkers(): Promise<void> {
    await this.#workers?.start();
  }

  /**
   * @throws NamesrvError `TLS_UNUSABLE` when TLS is enforced without a certificate and key
   * @throws RemotingError `BIND_FAILED` when the address cannot be listened on
   */
  async listen(): Promise<void> {
    await this.remotingServer.start().catch(async (error: unknown) => {
      await this.#workers?.close({ graceMillis: 0, goAwayMillis: 0 });
      throw tlsUnusable(error) ?? error;
    });
  }

  /** Looks at the files of TLS now, those of `tls` from now on where it is given. */
  async reloadTls(tls: TlsServerOptions = this.#tls): Promise<void> {
    const isSame = JSON.stringify(tls) === JSON.stringify(this.#tls);
    this.#tls = tls;
    await this.remotingServer.reloadTls(isSame ? undefined : tls);
  }

  /** Has workers ask for every route anew: what all of them show may have changed. */
  forgetRoutes(): void {
    this.#workers?.routes.invalidateAll();
  }

  async describeWorkers(): Promise<WorkerDescription[]> {
    return (await this.#workers?.describe()) ?? [];
  }

  /** Ends as a server ends; `cut` is how many requests had not ended in time. */
  async close(times: StopTimes): Promise<{ readonly cut: number }> {
    const [closed] = await Promise.all([this.remotingServer.close(times), this.#workers?.close(times)]);
    return closed;
  }
}

/** What is wrong with TLS where that keeps the server from starting. */
function tlsUnusable(error: unknown): NamesrvError | undefined {
  // The options were checked before; what is left are the files.
  if (!RemotingError.is(error) || error.code !== 'INVALID_ARGUMENT') return undefined;
  const what =
    'and tls.server.mode=enforcing lets nobody in without them; correct tls.server.certPath and tls.server.keyPath';
  return new NamesrvError('TLS_UNUSABLE', `${error.message}, ${what}`, { cause: error });
}
