import { RemotingError, type Timer } from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import type { BrokerConflict } from './broker-conflict.js';
import type { BrokerIdentity } from './broker-identity.js';
import type { BrokerRegistrarEventMap, MasterAddresses, RegistrationRound } from './broker-registrar-events.js';
import {
  type BrokerRegistrarOptions,
  type ResolvedBrokerRegistrarOptions,
  resolveBrokerRegistrarOptions,
  resolveIdentity,
} from './broker-registrar-options.js';
import { currentRequests } from './current-requests.js';
import type { FanOutResult } from './fan-out.js';
import { Farewells } from './farewells.js';
import type { MinBroker } from './min-broker-id.js';
import type { NameServerClient } from './name-server-client.js';
import { NameServerLink } from './name-server-link.js';
import { NameServerLinks } from './name-server-links.js';
import { registrarClient } from './registrar-client.js';
import { RegistrationAnswers } from './registration-answers.js';
import type { RegistrationRequests, TopicsChange } from './registration-requests.js';
import { RegistrationRounds } from './registration-rounds.js';
import { SignsOfLife } from './signs-of-life.js';

/** The periodic rounds begin so long after the first one. */
const FIRST_PERIODIC_ROUND_MILLIS = 10_000;

/** How a broker stops registering. */
export interface ShutdownOptions {
  /**
   * Whether the name servers are told. Without it they keep the broker until its connections end, which they do with an own client.
   * Default true.
   */
  readonly unregister?: boolean | undefined;
}

/**
 * Keeps one broker registered with its name servers (upstream: `BrokerController.registerBrokerAll` and its schedule; reference:
 * broker-registration 1 to 3): at once, after 10 s, then periodically, which is also the broker's sign of life.
 *
 * Beyond a real broker, a name server whose connection was lost gets the whole table as soon as it can be reached again; none gets
 * topics alone that is not known to have the rest; and nothing is registered after {@link shutdown} has begun. Listeners must not block.
 *
 * An own client keeps the connection to a name server that answers too late, which would forget the broker otherwise, and leaves it when
 * nothing at all was heard over it for a second timeout.
 */
export class BrokerRegistrar extends EventEmitter<BrokerRegistrarEventMap> implements AsyncDisposable {
  /**
   * Bits of PermName. Name servers look at permissions only when the data version is another one: whoever changes this bumps the
   * version, too, and calls {@link topicsChanged}.
   */
  brokerPermission: number;
  readonly #options: ResolvedBrokerRegistrarOptions;
  #identity: BrokerIdentity;
  readonly #client: NameServerClient;
  readonly #ownsClient: boolean;
  readonly #links = new NameServerLinks((address) => this.#makeLink(address));
  readonly #farewells: Farewells;
  readonly #signsOfLife: SignsOfLife;
  readonly #rounds: RegistrationRounds;
  readonly #answers: RegistrationAnswers;
  /** Another one after each {@link suspend}. */
  #abort = new AbortController();
  #suspended = false;
  #timer: Timer | undefined;
  #minBroker: MinBroker | undefined;
  /** Whether anything may have been registered. */
  #active = false;
  #shutdown: Promise<FanOutResult<void>> | undefined;

  constructor(options: BrokerRegistrarOptions) {
    super();
    this.#options = resolveBrokerRegistrarOptions(options);
    this.#identity = this.#options.identity;
    this.brokerPermission = options.brokerPermission ?? 6;
    this.#ownsClient = options.client === undefined;
    this.#client = options.client ?? registrarClient(this.#options, options, () => this.#identity.zoneName);
    if (this.#ownsClient) this.#client.remotingClient.on('tlsReload', (event) => this.#tell('tlsReload', event));
    this.#farewells = new Farewells({
      client: this.#client,
      closesConnections: this.#ownsClient,
      timeoutMillis: this.#options.unregisterBrokerTimeoutMillis,
    });
    this.#signsOfLife = new SignsOfLife({
      registrar: this.#options,
      client: this.#client,
      links: () => (this.#suspended || this.#shutdown !== undefined ? [] : this.#links),
      identity: () => this.#identity,
      onMinBroker: (min) => {
        if (!this.#suspended && this.#shutdown === undefined) this.notifyMinBrokerIdChange(min);
      },
    });
    this.#answers = new RegistrationAnswers({
      onMasterChanged: (addresses, nameServer) => this.#tell('masterChanged', addresses, nameServer),
      onOrderTopicConfig: (table, nameServer) => this.#tell('orderTopicConfig', table, nameServer),
    });
    this.#rounds = new RegistrationRounds({
      registrar: this.#options,
      links: this.#links,
      clock: this.#client.clock,
      identity: () => this.#identity,
      requests: (change) => this.#currentRequests(change),
      signal: () => (this.#suspended ? undefined : this.#abort.signal),
      onBegin: () => {
        this.#active = true;
      },
      onFirstAnswer: (outcome, checkOrderConfig) => this.#answers.useFirst(outcome, checkOrderConfig),
      onOutcome: (outcome, late) => {
        this.#tell('outcome', outcome, late);
        if (late) this.#tell('lateOutcome', outcome);
      },
      onRound: (round) => this.#tell('round', round),
    });
    for (const address of options.nameServerAddressList) this.#links.add(address);
  }

  get nameServerAddressList(): readonly string[] {
    return this.#links.addresses;
  }

  /** The name servers whose connection stands and that acknowledged the whole table on it. */
  get registeredAddressList(): readonly string[] {
    return this.#links.registeredAddresses;
  }

  /** The name servers that an event `flapping` was told of, until a connection has lasted 10 s. */
  get flappingAddressList(): readonly string[] {
    return this.#links.flappingAddresses;
  }

  /** As last told by a name server. */
  get masterAddresses(): MasterAddresses {
    return this.#answers.masterAddresses;
  }

  /**
   * Registers at once and from then on periodically. Resolves with the first round, however it went, or with `undefined` when it threw
   * (which is logged) or the registrar was shut down meanwhile.
   *
   * @throws RemotingError `INVALID_ARGUMENT` when it was started before
   */
  async start(): Promise<RegistrationRound | undefined> {
    if (this.#timer !== undefined) throw new RemotingError('INVALID_ARGUMENT', 'a registrar can be started once');
    if (this.#shutdown !== undefined) return undefined;
    const { clock } = this.#client;
    const periodic = (): void => void this.#logged(this.registerBrokerAll(true, false, this.#options.forceRegister));
    this.#timer = clock.setTimeout(() => {
      this.#timer = clock.setInterval(periodic, this.#options.registerNameServerPeriodMillis);
      periodic();
    }, FIRST_PERIODIC_ROUND_MILLIS);
    this.#signsOfLife.start();
    return await this.#logged(this.registerBrokerAll(true, false, true));
  }

  /**
   * Registers with all name servers, at once with each that is not busy with an earlier round. One that is gets the newest table when it
   * is done, once for all rounds that came meanwhile; where that is after the end of the round, its outcome is a timeout, and the late
   * one is told by event. Calls with the same arguments in the same turn are one round.
   *
   * @param checkOrderConfig whether the answer's table of ordered topics is of interest
   * @param oneway sends without waiting for answers
   * @param forceRegister registers without asking first whether any name server has another data version
   * @returns the round, or `undefined` when the registrar is shut down
   * @throws what the topic source throws; RemotingError `ENCODE_FAILED` when a topic cannot be written compressed
   */
  registerBrokerAll(
    checkOrderConfig: boolean,
    oneway: boolean,
    forceRegister: boolean,
  ): Promise<RegistrationRound | undefined> {
    return this.#rounds.registerBrokerAll(checkOrderConfig, oneway, forceRegister);
  }

  /**
   * The topic source has another table, with another data version: all name servers get the whole of it at once.
   *
   * @param change for one that is known to have the version before, only these topics, as a real broker does it (reference:
   * broker-registration 2.7). Not for 5.x name servers with `deleteTopicWithBrokerRegistration`, which take it for the whole table.
   */
  topicsChanged(change?: TopicsChange): Promise<RegistrationRound | undefined> {
    if (change === undefined || change.topics.length === 0) return this.registerBrokerAll(true, false, true);
    return this.#rounds.registerChange(change);
  }

  /** Whom this registers. */
  get identity(): BrokerIdentity {
    return this.#identity;
  }

  /**
   * The broker has another role, name or address. With the same name and address, the new id is registered at once over the old one, whoever
   * holds it: a group that chose another master has told the old one. Otherwise the name servers are told first that the old one leaves.
   *
   * @returns the round that this began, or `undefined` where nothing is registered now
   */
  async updateIdentity(identity: BrokerIdentity): Promise<RegistrationRound | undefined> {
    const before = this.#identity;
    const now = resolveIdentity(identity, this.#options.fiveX);
    const isSame = (['clusterName', 'brokerName', 'brokerAddr'] as const).every((name) => now[name] === before[name]);
    const registers = this.#active && !this.#suspended && this.#shutdown === undefined;
    if (!isSame && registers) void this.suspend();
    this.#identity = now;
    if (!registers) return undefined;
    if (!isSame) return await this.resume();
    return now.brokerId === before.brokerId ? await this.topicsChanged() : await this.takeOver();
  }

  /** The name servers that have our name and id at another address, and where they have it. */
  get conflicts(): readonly BrokerConflict[] {
    return this.#links.conflicts;
  }

  /** The member of the group with the smallest id, as last told; see the event `minBrokerIdChanged`. */
  get minBroker(): MinBroker | undefined {
    return this.#minBroker;
  }

  /** Takes what a name server told the broker by 905, or a question found out. */
  notifyMinBrokerIdChange(min: MinBroker | undefined): void {
    const { minBrokerId, minBrokerAddr } = this.#minBroker ?? {};
    if (min?.minBrokerId === minBrokerId && min?.minBrokerAddr === minBrokerAddr) return;
    this.#minBroker = min;
    this.#tell('minBrokerIdChanged', min);
  }

  /** Registers with all name servers at once, over whoever holds our name and id; what comes then is asked for again. */
  takeOver(): Promise<RegistrationRound | undefined> {
    for (const link of this.#links) link.takeOver();
    return this.topicsChanged();
  }

  /**
   * Takes a new list of name servers. Those that are new get the whole table at once, those that are gone are told that the broker
   * leaves, and their connection is closed. An empty list is ignored.
   */
  updateNameServerAddressList(addresses: readonly string[]): void {
    if (addresses.length === 0 || this.#shutdown !== undefined) return;
    for (const link of this.#links) if (!addresses.includes(link.address)) this.#removeLink(link);
    for (const address of addresses) {
      const added = this.#links.add(address);
      if (this.#active && !this.#suspended) void added?.reconnect();
    }
  }

  /** Whether {@link suspend} holds. */
  get isSuspended(): boolean {
    return this.#suspended;
  }

  /**
   * Stops registering until {@link resume}: a round under way is given up, and no name server hears of the broker again. Unless told
   * otherwise, all are told at once that it leaves, 3 s each at most; an own client closes the connections to those that did not take it,
   * for which they forget the broker, too. The timers go on. Takes effect before it returns; twice is as good as once.
   */
  async suspend({ unregister = true }: ShutdownOptions = {}): Promise<FanOutResult<void>> {
    if (this.#shutdown !== undefined) return await this.#shutdown;
    this.#suspended = true;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#links.leave();
    const told =
      unregister && this.#active ? this.#farewells.tell(this.#links.heldAddresses, this.#identity) : undefined;
    if (told !== undefined) this.#active = false;
    this.#links.renew();
    return (await told) ?? { outcomes: [], completed: [] };
  }

  /**
   * Registers again, with all name servers and at once.
   *
   * @returns that round; `undefined` where the registrar was not suspended or not started, or is shut down
   */
  async resume(): Promise<RegistrationRound | undefined> {
    if (!this.#suspended) return undefined;
    this.#suspended = false;
    return this.#timer === undefined ? undefined : await this.#logged(this.topicsChanged());
  }

  /**
   * Leaves: the timers stop, a round under way is given up and sends nothing any more, then all name servers are told at once. Takes
   * 3 s at most, and nothing is registered after it has begun. Name servers are told only if anything may have been registered.
   * Twice is as good as once.
   */
  shutdown(options: ShutdownOptions = {}): Promise<FanOutResult<void>> {
    this.#shutdown ??= this.#leave(options.unregister ?? true);
    return this.#shutdown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  async #leave(unregister: boolean): Promise<FanOutResult<void>> {
    this.#timer?.cancel();
    this.#signsOfLife.close();
    this.#links.leave();
    this.#abort.abort();
    const addresses = this.#active && unregister ? this.#links.heldAddresses : [];
    const result = await this.#farewells.tell(addresses, this.#identity);
    await this.#farewells.ended();
    if (this.#ownsClient) await this.#client.remotingClient.destroy();
    return result;
  }

  #currentRequests(change?: TopicsChange): RegistrationRequests {
    return currentRequests(this.#options, this.#identity, this.brokerPermission, change);
  }

  #makeLink(address: string): NameServerLink {
    return new NameServerLink({
      client: this.#client,
      address,
      timeoutMillis: this.#options.registerBrokerTimeoutMillis,
      currentRequests: () => this.#currentRequests(),
      onReconnect: (outcome) => {
        this.#answers.useReconnected(outcome);
        this.#tell('reconnect', outcome);
      },
      onFlapping: (shortConnections) => this.#tell('flapping', address, shortConnections),
      guarded: this.#options.standsBack ? () => this.#identity : undefined,
      onConflict: (conflict) =>
        conflict === undefined ? this.#tell('conflictEnded', address) : this.#tell('conflict', conflict),
      random: this.#options.random,
      reconnectJitterMillis: this.#options.reconnectJitterMillis,
      after: this.#farewells.ended(address),
    });
  }

  #removeLink(link: NameServerLink): void {
    const { address, conflict } = link;
    link.leave();
    this.#links.delete(address);
    if (!this.#active) return;
    const told = conflict === undefined ? this.#farewells.tell([address], this.#identity) : Promise.resolve();
    void told.then(() => this.#farewells.disconnect(address));
  }

  /** An exception never stops the schedule. */
  async #logged(round: Promise<RegistrationRound | undefined>): Promise<RegistrationRound | undefined> {
    try {
      return await round;
    } catch (error) {
      this.#options.logger.error({ err: error }, 'registerBrokerAll Exception');
      return undefined;
    }
  }

  #tell<Event extends keyof BrokerRegistrarEventMap>(event: Event, ...args: BrokerRegistrarEventMap[Event]): void {
    try {
      (this as EventEmitter).emit(event, ...args);
    } catch (error) {
      this.#options.logger.error({ err: error }, `a listener of ${event} threw`);
    }
  }
}
