import { isDeepStrictEqual } from 'node:util';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import { Agent } from './agent.js';
import type { AgentCompanion } from './agent-companion.js';
import type { AgentConfig } from './agent-config.js';
import type { AgentStatus } from './agent-status.js';

export interface AgentServiceOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default {@link Agent}. */
  readonly createAgent?: ((config: AgentConfig) => Agent) | undefined;
}

/** How long an agent stays for one that is to take its place and cannot register yet. */
const MAX_HANDOVER_MILLIS = 30_000;

/** How long until companions that cannot have what they need try again. */
const COMPANION_RETRY_MILLIS = 10_000;

/**
 * An agent whose configuration may change while it runs. One with another configuration registers the node over the same name servers
 * before the former one leaves without a word, so that the node is in the routes all the time.
 */
export class AgentService {
  readonly #options: AgentServiceOptions;
  readonly #companions: AgentCompanion[] = [];
  #config: AgentConfig;
  #agent: Agent;
  /** The one that registers the node, or is to: {@link #next} as soon as it begins. */
  #shown: Agent;
  /** One that is about to take the place. */
  #next: Agent | undefined;
  #reloading: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  /** Ends the wait for the one that is about to take the place. */
  #giveUp = (): void => {};
  #late: Timer | undefined;
  #retry: Timer | undefined;
  /** The configuration that was asked for last. */
  #wanted: AgentConfig;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#wanted = options.config;
    this.#agent = this.#create(options.config);
    this.#shown = this.#agent;
  }

  get status(): AgentStatus {
    return this.#shown.status;
  }

  /** It goes along from {@link start} on, which comes after this. */
  add(companion: AgentCompanion): void {
    this.#companions.push(companion);
  }

  /**
   * Settles when the agent started, which may be after long: see {@link Agent.start}.
   *
   * @param onRunning called when the companions are there and the agent starts
   * @throws StateInUseError
   */
  async start(onRunning = (): void => {}): Promise<void> {
    await this.#updateCompanions();
    for (const companion of this.#companions) companion.follow?.(this.#agent);
    if (this.#stopped !== undefined) return;
    onRunning();
    await this.#agent.start();
  }

  /**
   * Takes another configuration, in the place of one that is not in effect yet. Settles when the former agent is gone, or stays. Never
   * rejects.
   */
  reload(config: AgentConfig): Promise<void> {
    this.#wanted = config;
    this.#giveUp();
    this.#reloading = this.#reloading
      .then(() => this.#reload(config))
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error }, 'the new configuration cannot be applied, the former one stays');
      });
    return this.#reloading;
  }

  /** All stop at once. Twice is as good as once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#giveUp();
    this.#retry?.cancel();
    const agents = [this.#agent, ...(this.#next === undefined ? [] : [this.#next])];
    await Promise.all([
      ...agents.map((agent) => agent.stop()),
      ...this.#companions.map((companion) => companion.close()),
    ]);
  }

  async #reload(config: AgentConfig): Promise<void> {
    const { logger } = this.#options;
    if (this.#stopped !== undefined || config !== this.#wanted) return;
    const before = this.#config;
    const changed = (Object.keys({ ...before, ...config }) as (keyof AgentConfig)[]).filter(
      (key) => !isDeepStrictEqual(before[key], config[key]),
    );
    if (changed.some((key) => !ofCompanions.has(key)) && !(await this.#replaceAgent(config))) return;
    this.#config = config;
    await this.#updateCompanions();
    if (changed.length === 0) logger.info({}, 'the configuration was read again: nothing changed');
    else logger.info({ changed }, 'the configuration was read again and is in effect');
  }

  async #updateCompanions(): Promise<void> {
    this.#retry?.cancel();
    let hasAll = true;
    for (const companion of this.#companions)
      if (this.#stopped === undefined) hasAll = (await companion.update(this.#config)) && hasAll;
    if (this.#stopped !== undefined) await Promise.all(this.#companions.map((companion) => companion.close()));
    else if (!hasAll) this.#retryCompanions();
  }

  #retryCompanions(): void {
    this.#retry = this.#options.clock.setTimeout(
      () => {
        // In turn with reloads, which update them, too.
        this.#reloading = this.#reloading.then(() => this.#updateCompanions());
      },
      COMPANION_RETRY_MILLIS,
      true,
    );
  }

  /** @returns whether the new one took the place; the former one stays where another reload or the stop came first */
  async #replaceAgent(config: AgentConfig): Promise<boolean> {
    const former = this.#agent;
    const next = this.#create(config, former);
    this.#next = next;
    const givenUp = new Promise<'given up'>((resolve) => {
      this.#giveUp = () => resolve('given up');
    });
    try {
      // The former one takes the new name first: otherwise each would find the other in its way.
      if (!isDeepStrictEqual(config.identity, this.#config.identity)) await former.updateIdentity(config.identity);
      const took = await Promise.race([givenUp, this.#takeOver(next)]);
      if (took === 'given up') {
        await this.#stay(former, next);
        return false;
      }
    } catch (error) {
      await this.#stay(former, next);
      throw error;
    } finally {
      this.#next = undefined;
      this.#late?.cancel();
    }
    this.#show(next);
    this.#agent = next;
    await former.stop(next.status.state === 'registering' ? { unregister: false } : {});
    return true;
  }

  async #stay(former: Agent, next: Agent): Promise<void> {
    this.#show(former);
    former.unpause();
    await Promise.all([next.stop({ unregister: false }), former.updateIdentity(this.#config.identity)]);
  }

  /** Companions follow this one from now on, and no other registers. */
  #show(agent: Agent): void {
    const other = this.#shown;
    if (other === agent) return;
    other.removeAllListeners();
    other.pause();
    this.#shown = agent;
    for (const companion of this.#companions) companion.follow?.(agent);
  }

  /** Settles when the agent started, and told all name servers or could not for too long. */
  async #takeOver(next: Agent): Promise<void> {
    const told = new Promise<void>((resolve) => next.once('round', () => resolve()));
    next.once('registering', () => this.#show(next));
    await next.start();
    if (this.#next !== next) return;
    const late = new Promise<void>((resolve) => {
      this.#late = this.#options.clock.setTimeout(resolve, MAX_HANDOVER_MILLIS);
    });
    await Promise.race([told, late]);
  }

  #create(config: AgentConfig, former?: Agent): Agent {
    const { clock, logger, createAgent } = this.#options;
    if (createAgent !== undefined) return createAgent(config);
    const lastNameServers = former?.status.nameServers.servers.map(({ address }) => address);
    return new Agent({ config, clock, logger, lastNameServers });
  }
}

/** What changes without another agent. */
const ofCompanions: ReadonlySet<keyof AgentConfig> = new Set<keyof AgentConfig>(['admin', 'hooks', 'facade']);
