import { BrokerRegistrar, type RegistrationRound } from '@rmqns/namesrv-client';
import type { TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import type { AgentConfig } from './agent-config.js';
import { brokerTopics } from './broker-topics.js';
import { DataVersionStore } from './data-version-store.js';
import { brokerIdentity } from './register-request.js';
import { RegistrationLog } from './registration-log.js';
import { staticTopicsSource } from './static-topics-source.js';
import { TopicConfigManager } from './topic-config-manager.js';
import { TopicsJsonSource } from './topics-json-source.js';

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** False: the state directory is left as it is. Default true. */
  readonly persist?: boolean | undefined;
}

/**
 * Registers one storage node with its name servers as long as it runs. Before there is a good topic table, and while no name server can be
 * reached, it waits.
 */
export class Agent {
  readonly #config: AgentConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #topics: TopicConfigManager;
  readonly #registrar: BrokerRegistrar;
  #delay: Timer | undefined;
  /** Whether the start delay is over. */
  #began = false;
  /** Whether the rounds run. */
  #started = false;
  readonly #log: RegistrationLog;
  #stopped: Promise<void> | undefined;

  constructor({ config, clock, logger, persist = true }: AgentOptions) {
    const { identity, register, topics } = config;
    this.#config = config;
    this.#clock = clock;
    this.#logger = logger;
    this.#topics = new TopicConfigManager({
      sources: topics.sources.map((source) =>
        source.kind === 'static'
          ? staticTopicsSource(source.table)
          : new TopicsJsonSource({ path: source.path, clock, logger, debounceMillis: topics.debounceMillis }),
      ),
      brokerTopics: register.includeBrokerTopics ? brokerTopics(identity.clusterName, identity.brokerName) : new Map(),
      minimum: topics.minimum,
      compressed: register.compressed,
      store: new DataVersionStore(config.stateDirectory),
      persist,
      clock,
      logger,
    });
    this.#registrar = new BrokerRegistrar({
      identity: brokerIdentity(identity),
      nameServerAddressList: config.namesrvAddresses,
      topics: { current: () => this.#published() },
      filterServerList: identity.filterServers,
      registerNameServerPeriodMillis: register.periodMillis,
      registerBrokerTimeoutMillis: register.timeoutMillis,
      forceRegister: register.forceRegister,
      compressedRegister: register.compressed,
      brokerPermission: identity.brokerPermission,
      clock,
      logger,
    });
    const log = new RegistrationLog(logger);
    this.#log = log;
    this.#registrar
      .on('round', (round) => log.round(round, this.#registrar.flappingAddressList))
      .on('outcome', (outcome, late) => log.outcome(outcome, late))
      .on('flapping', (namesrv, shortConnections) => log.flapping(namesrv, shortConnections))
      .on('reconnect', (outcome) => log.reconnect(outcome))
      .on('masterChanged', (master, namesrv) => log.masterChanged(master, namesrv))
      .on('orderTopicConfig', (table, namesrv) => {
        log.orderTopics(table, namesrv);
        void this.#topics.updateOrderTopicConfig(table);
      });
  }

  /** What is or would be registered; `undefined` as long as there was no good topic table. */
  get published(): TopicConfigSerializeWrapper | undefined {
    return this.#topics.published;
  }

  /** The sources of topics that have none yet. */
  get missingSources(): readonly string[] {
    return this.#topics.missingSources;
  }

  /**
   * Looks for topics and begins to register, at the latest once there are some. Settles when the topics were looked for.
   *
   * @throws the file system's error when the state directory cannot be used
   */
  async start(): Promise<void> {
    await this.#topics.start(() => this.#onTopicsChanged());
    const { identity, namesrvAddresses, register } = this.#config;
    const { brokerName, brokerId, clusterName, brokerAddr } = identity;
    const fields = { cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr, namesrv: namesrvAddresses };
    this.#logger.info(fields, 'the agent started');
    if (this.published === undefined)
      this.#logger.warn({ sources: this.missingSources }, 'nothing is registered yet, waiting for topics');
    if (register.startDelayMillis === 0) this.#began = true;
    else {
      this.#delay = this.#clock.setTimeout(() => {
        this.#began = true;
        this.#register();
      }, register.startDelayMillis);
    }
    if (this.#began) this.#register();
  }

  /**
   * Looks for topics, registers once with all name servers, and closes the connections without a farewell: name servers forget the node
   * for that, unless another agent registered it meanwhile. `undefined`: there was no good topic table.
   *
   * @throws the file system's error when the state directory cannot be used
   */
  async registerOnce(): Promise<RegistrationRound | undefined> {
    await this.lookForTopics();
    const round = this.published === undefined ? undefined : await this.#registrar.registerBrokerAll(true, false, true);
    await Promise.all([this.#registrar.shutdown({ unregister: false }), this.#topics.close()]);
    return round;
  }

  /** Looks for topics and registers nothing. */
  async lookForTopics(): Promise<void> {
    await this.#topics.start(() => {});
  }

  /**
   * The timers stop, then all name servers are told at once that the node leaves, unless `unregisterOnStop` is false; 3 s each at most.
   * Twice is as good as once.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#delay?.cancel();
    const [{ outcomes }] = await Promise.all([
      this.#registrar.shutdown({ unregister: this.#config.register.unregisterOnStop }),
      this.#topics.close(),
    ]);
    this.#log.left(outcomes);
  }

  #onTopicsChanged(): void {
    if (!this.#began || this.#stopped !== undefined) return;
    this.#register();
  }

  /** The first time this starts the rounds. */
  #register(): void {
    if (this.published === undefined || this.#stopped !== undefined) return;
    const round = this.#started ? this.#registrar.topicsChanged() : this.#registrar.start();
    this.#started = true;
    round.catch((error: unknown) => this.#logger.error({ err: error }, 'the topics cannot be registered'));
  }

  #published(): TopicConfigSerializeWrapper {
    const { published } = this.#topics;
    if (published === undefined) throw new Error('there is no topic table to register');
    return published;
  }
}
