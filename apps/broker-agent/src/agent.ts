import {
  BrokerRegistrar,
  type MinBroker,
  type RegistrationRound,
  type ShutdownOptions,
  sentTopicTable,
  type TopicsChange,
} from '@rmqns/namesrv-client';
import { PermName, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger } from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import type { AgentConfig, BrokerIdentity } from './agent-config.js';
import type { AgentEventMap } from './agent-events.js';
import { type AgentParts, agentParts } from './agent-parts.js';
import type { AgentStatus } from './agent-status.js';
import { brokerTopics } from './broker-topics.js';
import { DataVersionStore } from './data-version-store.js';
import { describeAgent } from './describe-agent.js';
import { followRegistrar } from './follow-registrar.js';
import { FollowedNameServers } from './followed-name-servers.js';
import { NameServerRecords } from './name-server-records.js';
import { brokerIdentity } from './register-request.js';
import { registrarSettings } from './registrar-settings.js';
import { RegistrationGate } from './registration-gate.js';
import { RegistrationLog } from './registration-log.js';
import { StateLock } from './state-lock.js';
import { TopicConfigManager } from './topic-config-manager.js';

/** How long the start waits for sources of topics that take long. */
const FIRST_LOOK_MILLIS = 5_000;

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** False: the state directory is left as it is. Default true. */
  readonly persist?: boolean | undefined;
  /** Default: those that the configuration asks for. */
  readonly parts?: AgentParts | undefined;
  /** Used where the source of name servers has no list when it was first asked: the last good one, of an agent before. Default none. */
  readonly lastNameServers?: readonly string[] | undefined;
}

/**
 * Registers one storage node with its name servers as long as it runs and passes. Before there is a good topic table, before the node passed
 * for the first time, and while no name server can be reached, it waits.
 */
export class Agent extends EventEmitter<AgentEventMap> {
  readonly #config: AgentConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #parts: AgentParts;
  readonly #lock: StateLock;
  readonly #topics: TopicConfigManager;
  readonly #registrar: BrokerRegistrar;
  readonly #records: NameServerRecords;
  #identity: BrokerIdentity;
  readonly #log: RegistrationLog;
  readonly #gate: RegistrationGate;
  readonly #nameServers: FollowedNameServers;
  #stopped: Promise<void> | undefined;

  constructor({
    config,
    clock,
    logger,
    persist = true,
    parts = agentParts(config, clock, logger),
    lastNameServers = [],
  }: AgentOptions) {
    super();
    const { identity, register, topics } = config;
    this.#config = config;
    this.#clock = clock;
    this.#logger = logger;
    this.#parts = parts;
    this.#lock = new StateLock({ directory: config.stateDirectory, clock, logger });
    this.#topics = new TopicConfigManager({
      sources: parts.topicSources,
      brokerTopics: register.includeBrokerTopics ? brokerTopics(identity.clusterName, identity.brokerName) : new Map(),
      brokerPermission: identity.brokerPermission,
      minimum: topics.minimum,
      merge: topics.merge,
      debounceMillis: topics.debounceMillis,
      compressed: register.compressed,
      split: register.splitSize !== undefined,
      store: new DataVersionStore(config.stateDirectory, config.storeDirectory),
      lock: this.#lock,
      persist,
      clock,
      logger,
    });
    this.#registrar = new BrokerRegistrar({
      ...registrarSettings(config, parts),
      topics: { current: () => this.#sent(), nextDataVersion: () => this.#topics.nextDataVersion() },
      clock,
      logger,
    });
    this.#records = new NameServerRecords(clock);
    this.#identity = identity;
    this.#log = new RegistrationLog(logger);
    this.#gate = new RegistrationGate({
      config,
      parts,
      topics: this.#topics,
      registrar: this.#registrar,
      log: this.#log,
      clock,
      logger,
      onRegistering: () => this.#tell('registering'),
    });
    this.#nameServers = new FollowedNameServers({
      source: parts.nameServers,
      registrar: this.#registrar,
      last: lastNameServers,
      logger,
      onUse: () => this.#gate.nameServersChange(),
      onChanged: (addresses) => this.#tell('nameServersChanged', addresses),
    });
    followRegistrar(this.#registrar, {
      records: this.#records,
      log: this.#log,
      logger,
      tell: (event, ...args) => this.#tell(event, ...args),
      onOrderTopics: (table) => void this.#topics.updateOrderTopicConfig(table),
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

  /** Which source a published topic is from. */
  sourceOf(topic: string): string {
    const source = this.#parts.topicSources.find(({ current }) => current?.table.has(topic));
    if (source !== undefined) return source.name;
    const { clusterName, brokerName } = this.#config.identity;
    return [clusterName, brokerName].includes(topic) ? 'includeBrokerTopics' : 'registered last';
  }

  get status(): AgentStatus {
    return describeAgent({
      state: this.#gate.state,
      identity: this.#identity,
      stateDirectory: this.#config.stateDirectory,
      parts: this.#parts,
      topics: this.#topics,
      registrar: this.#registrar,
      records: this.#records,
      clock: this.#clock,
    });
  }

  /**
   * Looks for topics and name servers and begins to register, at the latest once there are some and the node passes. Settles when the topics
   * were looked for, which may be after long where the state directory cannot be used.
   *
   * @throws StateInUseError
   */
  async start(): Promise<void> {
    const { health, nameServers, role } = this.#parts;
    void this.#nameServers.startAndSay();
    // The probes need not wait for the topics; what they say is for when those are there.
    const healthAtStart = health.health;
    let hasLooked = false;
    health.start(() => {
      if (hasLooked) this.#onHealthChanged();
    });
    await this.#topics.start((change) => this.#onTopicsChanged(change), FIRST_LOOK_MILLIS);
    hasLooked = true;
    if (this.#stopped !== undefined) return;
    role?.start(() => this.#onRoleChanged());
    const { brokerName, brokerId, clusterName, brokerAddr } = this.#identity;
    const fields = { cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr };
    this.#logger.info({ ...fields, namesrv: nameServers.current ?? nameServers.name }, 'the agent started');
    const { problem } = this.#topics;
    if (this.published === undefined)
      this.#logger.warn({ sources: this.missingSources, problem }, 'nothing is registered yet, waiting for topics');
    if (health.health !== healthAtStart) this.#onHealthChanged();
    else if (health.health === 'failing')
      this.#logger.info({}, 'nothing is registered yet, waiting for the node to pass');
    if (role !== undefined && role.current === undefined)
      this.#logger.info({ broker: role.name }, 'nothing is registered yet, waiting for the broker to tell its role');
    this.#startCredentials();
    this.#gate.start();
  }

  /**
   * Looks for topics and name servers, registers once with all, and closes the connections without a farewell: name servers forget the node
   * for that, unless another agent registered it meanwhile. `undefined`: there was no good topic table.
   *
   * @throws StateInUseError; the file system's error when the state directory cannot be used
   */
  async registerOnce(): Promise<RegistrationRound | undefined> {
    const { credentials } = this.#parts;
    await Promise.all([this.lookForTopics(), this.#nameServers.start(), credentials?.start(() => {})]);
    const round = this.published === undefined ? undefined : await this.#registrar.registerBrokerAll(true, false, true);
    this.#nameServers.close();
    this.#parts.role?.close();
    credentials?.close();
    await Promise.all([this.#registrar.shutdown({ unregister: false }), this.#topics.close()]);
    this.#lock.release();
    return round;
  }

  /** Looks for topics and registers nothing. */
  async lookForTopics(): Promise<void> {
    await this.#topics.start(() => {});
  }

  /** Registers with all name servers over whoever has the broker's name and id there: the operator knows which of the two is right. */
  async takeOver(): Promise<void> {
    if (this.#gate.isStarted && this.#stopped === undefined) await this.#registrar.takeOver();
  }

  /** Takes what a name server told the broker (905): the member of its group with the smallest id. Only where the broker may act as master. */
  notifyMinBrokerIdChange(min: MinBroker): void {
    if (this.#identity.enableActingMaster === true && this.#stopped === undefined)
      this.#registrar.notifyMinBrokerIdChange(min);
  }

  /**
   * The broker has another role, name, address or permission. A new id is registered at once over the old one and over whoever holds it, for
   * a group that chose another master; with another name or address the old one leaves first.
   */
  async updateIdentity(identity: BrokerIdentity): Promise<void> {
    const before = this.#identity;
    if (this.#stopped !== undefined || JSON.stringify(identity) === JSON.stringify(before)) return;
    this.#identity = identity;
    const { brokerName, brokerId, clusterName, brokerAddr } = identity;
    const fields = { cluster: clusterName, broker: brokerName, brokerId, addr: brokerAddr, before };
    this.#logger.info(fields, 'the broker has another role, name, address or permission');
    this.#tell('identityChanged', identity, before);
    const updated = this.#registrar.updateIdentity(brokerIdentity(identity));
    await Promise.all([updated, this.#topics.updateBrokerPermission(this.#permission())]);
  }

  /** Another agent is about to register the node: see {@link RegistrationGate.pause}. */
  pause(): void {
    this.#gate.pause();
  }

  /** The other one did not. */
  unpause(): void {
    this.#gate.unpause();
  }

  /**
   * The timers stop, then all name servers are told at once that the node leaves; 3 s each at most. Without `unregister` the connections end
   * without a word, as when another agent has registered the node meanwhile. Twice is as good as once.
   */
  stop({ unregister = this.#config.register.unregisterOnStop }: ShutdownOptions = {}): Promise<void> {
    this.#stopped ??= this.#stop(unregister);
    return this.#stopped;
  }

  async #stop(unregister: boolean): Promise<void> {
    this.#gate.close();
    this.#parts.health.close();
    this.#nameServers.close();
    this.#parts.role?.close();
    this.#parts.credentials?.close();
    const [{ outcomes }] = await Promise.all([this.#registrar.shutdown({ unregister }), this.#topics.close()]);
    this.#lock.release();
    this.#log.left(outcomes);
  }

  #startCredentials(): void {
    const { credentials } = this.#parts;
    const onChange = (): void => {
      this.#logger.info({ file: credentials?.name }, 'the secret key is known, requests are signed with it');
      this.#gate.update();
    };
    void credentials?.start(onChange).then(() => {
      if (credentials.isReady) this.#gate.update();
    });
  }

  #onTopicsChanged(change: TopicsChange | undefined): void {
    if (this.published !== undefined) this.#tell('topicsChanged', this.published);
    this.#gate.topicsChanged(change);
  }

  #onHealthChanged(): void {
    if (this.#stopped !== undefined) return;
    const { health, probes } = this.#parts.health;
    const { onFailing } = this.#config.health;
    if (health === 'passing') this.#logger.info({}, 'the node passes');
    else {
      const failing = probes.filter((probe) => probe.health === 'failing');
      this.#logger.warn({ onFailing, probes: failing }, 'the node fails');
    }
    this.#tell('healthChanged', health);
    if (onFailing === 'read-only') void this.#topics.updateBrokerPermission(this.#permission());
    this.#gate.update();
  }

  #onRoleChanged(): void {
    const role = this.#parts.role?.current;
    if (role === undefined || this.#stopped !== undefined) return;
    this.updateIdentity({ ...this.#identity, ...role }).catch((error: unknown) =>
      this.#logger.error({ err: error }, 'the new role cannot be registered'),
    );
    this.#gate.update();
  }

  #permission(): number {
    const { brokerPermission } = this.#identity;
    const isReadOnly = this.#config.health.onFailing === 'read-only' && this.#parts.health.health === 'failing';
    return isReadOnly ? brokerPermission & ~PermName.WRITE : brokerPermission;
  }

  #tell<Event extends keyof AgentEventMap>(event: Event, ...args: AgentEventMap[Event]): void {
    try {
      (this as EventEmitter).emit(event, ...args);
    } catch (error) {
      this.#logger.error({ err: error }, `a listener of ${event} threw`);
    }
  }

  #sent(): TopicConfigSerializeWrapper {
    const { published, brokerPermission } = this.#topics;
    if (published === undefined) throw new Error('there is no topic table to register');
    return sentTopicTable(published, brokerPermission, this.#identity.enableActingMaster === true);
  }
}
