import type { TopicRouteData } from '@rmqns/protocol';
import { type Clock, CommandError, type Logger } from '@rmqns/remoting';
import { NamesrvOptionsError, type ResolvedNamesrvOptions } from './namesrv-options.js';

/** The name servers of the environment that a cluster-test server falls back to. */
export interface ProductEnvironment {
  /**
   * Where a topic is there; `undefined` when that environment has no route.
   *
   * @throws when none of its name servers answers, soon
   */
  getRouteInfoByTopic(topic: string): Promise<TopicRouteData | undefined>;
  close(): Promise<void>;
}

export interface ProductRoutesOptions {
  readonly environment: ProductEnvironment;
  /** Its name, for the log. */
  readonly envName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Topics that are asked for at a time. Each takes as long as the other environment does, and none may take this server's memory with it. */
const MAX_IN_FLIGHT = 1_000;
/** A failure is logged this often, with those since. */
const LOG_PERIOD_MILLIS = 10_000;

/**
 * Routes of the product environment, for topics that are not known here (upstream: `ClusterTestRequestProcessor`; reference: nameserver 6.4).
 * Those who ask for the same topic share one question. Failures are logged, and count as no route.
 */
export class ProductRoutes {
  readonly #options: ProductRoutesOptions;
  readonly #asked = new Map<string, Promise<TopicRouteData | undefined>>();
  #loggedMillis = -Infinity;
  #unlogged = 0;

  constructor(options: ProductRoutesOptions) {
    this.#options = options;
  }

  /** @throws CommandError SYSTEM_BUSY when too many topics are asked for */
  find(topic: string): Promise<TopicRouteData | undefined> {
    const asked = this.#asked.get(topic);
    if (asked !== undefined) return asked;
    if (this.#asked.size >= MAX_IN_FLIGHT) {
      const remark = `${MAX_IN_FLIGHT} topics are being asked of the environment ${this.#options.envName}; try again`;
      return Promise.reject(new CommandError(2, remark));
    }
    const answer = this.#ask(topic).finally(() => this.#asked.delete(topic));
    this.#asked.set(topic, answer);
    return answer;
  }

  close(): Promise<void> {
    return this.#options.environment.close();
  }

  async #ask(topic: string): Promise<TopicRouteData | undefined> {
    try {
      return await this.#options.environment.getRouteInfoByTopic(topic);
    } catch (error) {
      this.#log(topic, error);
      return undefined;
    }
  }

  #log(topic: string, thrown: unknown): void {
    const { envName, clock, logger } = this.#options;
    const nowMillis = clock.monotonic();
    if (nowMillis - this.#loggedMillis < LOG_PERIOD_MILLIS) {
      this.#unlogged++;
      return;
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const more = this.#unlogged === 0 ? '' : ` (and ${this.#unlogged} more since the last such line)`;
    logger.warn(
      { envName, topic, unlogged: this.#unlogged },
      `get route info by topic from product environment failed. envName=${envName}, topic=${topic}: ${message}${more}`,
    );
    this.#loggedMillis = nowMillis;
    this.#unlogged = 0;
  }
}

/**
 * Those that a cluster-test server asks; `undefined` for any other.
 *
 * @throws NamesrvOptionsError when the option asks for an environment and there is none
 */
export function productRoutesOf(
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
