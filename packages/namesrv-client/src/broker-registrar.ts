import { MqVersion, type TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { type Clock, type RemotingClientOptions, RemotingError, systemClock, type Timer } from '@rmqns/remoting';
import { EventEmitter } from 'eventemitter3';
import type { BrokerRegistrarEventMap, MasterAddresses, RegistrationRound } from './broker-registrar-events.js';
import {
  type BrokerRegistrarOptions,
  type ResolvedBrokerRegistrarOptions,
  resolveBrokerRegistrarOptions,
} from './broker-registrar-options.js';
import { type FanOutResult, fanOut, type NameServerOutcome } from './fan-out.js';
import { type DataVersionAnswer, NameServerClient, type RegisterBrokerResult } from './name-server-client.js';
import { NameServerLink } from './name-server-link.js';
import { decideRegister, ownVersion, type RegisterDecision } from './need-register.js';
import { type RegistrationRequests, registrationRequests } from './registration-requests.js';
import { sentTopicTable } from './sent-topic-table.js';
import { SilenceHandler } from './silence-handler.js';
import { unregisterBrokerAll } from './unregister-broker-all.js';

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
 * Beyond a real broker, a name server whose connection was lost gets the whole table as soon as it can be reached again; changes
 * send the whole table, never one topic alone; and nothing is registered after {@link shutdown} has begun. Listeners must not block.
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
  readonly #client: NameServerClient;
  readonly #ownsClient: boolean;
  readonly #links = new Map<string, NameServerLink>();
  /** Addresses that were removed and are still told so. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Rounds that begin in this turn. */
  readonly #beginning = new Map<string, Promise<RegistrationRound | undefined>>();
  /** Another one after each {@link suspend}. */
  #abort = new AbortController();
  #suspended = false;
  #master: MasterAddresses = { masterAddr: undefined, haServerAddr: undefined };
  #timer: Timer | undefined;
  /** Whether anything may have been registered. */
  #active = false;
  #shutdown: Promise<FanOutResult<void>> | undefined;

  constructor(options: BrokerRegistrarOptions) {
    super();
    this.#options = resolveBrokerRegistrarOptions(options);
    this.brokerPermission = options.brokerPermission ?? 6;
    this.#ownsClient = options.client === undefined;
    this.#client = options.client ?? ownClient(this.#options, options.clock ?? systemClock);
    for (const address of options.nameServerAddressList) this.#addLink(address);
  }

  get nameServerAddressList(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** The name servers whose connection stands and that acknowledged the whole table on it. */
  get registeredAddressList(): readonly string[] {
    return [...this.#links.values()].filter((link) => link.isRegistered).map(({ address }) => address);
  }

  /** The name servers that an event `flapping` was told of, until a connection has lasted 10 s. */
  get flappingAddressList(): readonly string[] {
    return [...this.#links.values()].filter((link) => link.isFlapping).map(({ address }) => address);
  }

  /** As last told by a name server. */
  get masterAddresses(): MasterAddresses {
    return this.#master;
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
    const key = `${checkOrderConfig} ${oneway} ${forceRegister}`;
    const beginning = this.#beginning.get(key);
    if (beginning !== undefined) return beginning;
    const round = Promise.resolve().then(() => {
      this.#beginning.delete(key);
      return this.#round(checkOrderConfig, oneway, forceRegister);
    });
    // A failure that nobody looks at is no crash.
    round.catch(() => undefined);
    this.#beginning.set(key, round);
    return round;
  }

  /** The topic source has another table, with another data version: all name servers get the whole of it at once. */
  topicsChanged(): Promise<RegistrationRound | undefined> {
    return this.registerBrokerAll(true, false, true);
  }

  /**
   * Takes a new list of name servers. Those that are new get the whole table at once, those that are gone are told that the broker
   * leaves, and their connection is closed. An empty list is ignored.
   */
  updateNameServerAddressList(addresses: readonly string[]): void {
    if (addresses.length === 0 || this.#shutdown !== undefined) return;
    for (const link of this.#links.values()) if (!addresses.includes(link.address)) this.#removeLink(link);
    for (const address of addresses) {
      const added = this.#addLink(address);
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
    const addresses = this.nameServerAddressList;
    for (const link of this.#links.values()) link.leave();
    const told = unregister && this.#active ? this.#unregisterAll(addresses) : undefined;
    if (told !== undefined) {
      this.#active = false;
      for (const address of addresses) this.#keepLeaving(address, told);
    }
    this.#links.clear();
    for (const address of addresses) this.#addLink(address);
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
    for (const link of this.#links.values()) link.leave();
    this.#abort.abort();
    const { identity, unregisterBrokerTimeoutMillis: timeoutMillis } = this.#options;
    const addresses = this.#active && unregister ? this.nameServerAddressList : [];
    const result = await unregisterBrokerAll(this.#client, addresses, identity, { timeoutMillis });
    await Promise.all(this.#leaving.values());
    if (this.#ownsClient) await this.#client.remotingClient.destroy();
    return result;
  }

  async #round(
    checkOrderConfig: boolean,
    oneway: boolean,
    forceRegister: boolean,
  ): Promise<RegistrationRound | undefined> {
    const { signal } = this.#abort;
    if (signal.aborted || this.#suspended) return undefined;
    const { clock } = this.#client;
    const began = clock.monotonic();
    this.#active = true;
    const decision = forceRegister ? undefined : await this.#needRegister();
    if (signal.aborted) return undefined;
    const { needed, queryOutcomes } = decision ?? { needed: true };
    const result = needed ? await this.#registerAll(oneway, checkOrderConfig) : { outcomes: [], completed: [] };
    if (signal.aborted) return undefined;
    const round = { ...result, needed, queryOutcomes, durationMillis: clock.monotonic() - began };
    if (this.#links.size > 0) this.#tell('round', round);
    return round;
  }

  #needRegister(): Promise<RegisterDecision> {
    const { identity, topics, registerBrokerTimeoutMillis: timeoutMillis, fiveX } = this.#options;
    const own = ownVersion(topics.current().dataVersion, fiveX);
    const links = new Map(this.#links);
    const ask = async (address: string): Promise<DataVersionAnswer> =>
      (links.get(address) as NameServerLink).queryDataVersion(identity, own, fiveX);
    return decideRegister([...links.keys()], ask, own, { timeoutMillis, clock: this.#client.clock });
  }

  #registerAll(oneway: boolean, checkOrderConfig: boolean): Promise<FanOutResult<RegisterBrokerResult>> {
    const requests = this.#currentRequests();
    const links = new Map(this.#links);
    // Begun here, so that a round which waits for a slow name server does not keep the bodies in memory.
    const registrations = new Map([...links].map(([address, link]) => [address, link.register(requests, oneway)]));
    let answered = false;
    return fanOut([...links.keys()], async (address) => (await registrations.get(address)) ?? {}, {
      timeoutMillis: this.#options.registerBrokerTimeoutMillis,
      clock: this.#client.clock,
      oneway,
      onOutcome: (outcome, late) => {
        if (this.#links.get(outcome.address) !== links.get(outcome.address) || this.#abort.signal.aborted) return;
        if (!late && !answered && outcome.status === 'ok') {
          answered = true;
          this.#useAnswer(outcome, checkOrderConfig, true);
        }
        this.#tell('outcome', outcome, late);
        if (late) this.#tell('lateOutcome', outcome);
      },
    });
  }

  /** The requests for the table as it is now, made once for all name servers. */
  #currentRequests(): RegistrationRequests {
    const { identity, topics, filterServerList, compressedRegister: compressed, fiveX } = this.#options;
    const wrapper: TopicConfigSerializeWrapper = sentTopicTable(topics.current(), this.brokerPermission, fiveX);
    return registrationRequests({
      identity,
      topicConfigSerializeWrapper: wrapper,
      filterServerList,
      compressed,
      fiveX,
    });
  }

  /**
   * Uses an answer as a broker does (reference: broker-registration 2.8). Where none came nothing is touched.
   *
   * @param mayClear whether an answer without master clears it: not so that of a name server which has just been restarted
   */
  #useAnswer(outcome: NameServerOutcome<RegisterBrokerResult>, checkOrderConfig: boolean, mayClear: boolean): void {
    const { address, result } = outcome;
    if (result === undefined) return;
    const { masterAddr, haServerAddr, kvTable } = result;
    const changed = masterAddr !== this.#master.masterAddr || haServerAddr !== this.#master.haServerAddr;
    if (changed && (mayClear || masterAddr !== undefined)) {
      this.#master = { masterAddr, haServerAddr };
      this.#tell('masterChanged', this.#master, address);
    }
    if (checkOrderConfig && kvTable !== undefined) this.#tell('orderTopicConfig', kvTable, address);
  }

  #addLink(address: string): NameServerLink | undefined {
    if (this.#links.has(address)) return undefined;
    const link = new NameServerLink({
      client: this.#client,
      address,
      timeoutMillis: this.#options.registerBrokerTimeoutMillis,
      currentRequests: () => this.#currentRequests(),
      onReconnect: (outcome) => {
        this.#useAnswer(outcome, true, false);
        this.#tell('reconnect', outcome);
      },
      onFlapping: (shortConnections) => this.#tell('flapping', address, shortConnections),
      random: this.#options.random,
      after: this.#leaving.get(address),
    });
    this.#links.set(address, link);
    return link;
  }

  #removeLink(link: NameServerLink): void {
    const { address } = link;
    link.leave();
    this.#links.delete(address);
    if (this.#active) this.#keepLeaving(address, this.#unregister(address));
  }

  /** Nothing else is said to an address before the farewell has ended. */
  #keepLeaving(address: string, farewell: Promise<unknown>): void {
    const leaving = Promise.all([this.#leaving.get(address), farewell]).then(() => {
      if (this.#leaving.get(address) === leaving) this.#leaving.delete(address);
    });
    this.#leaving.set(address, leaving);
  }

  async #unregister(address: string): Promise<void> {
    const { identity, unregisterBrokerTimeoutMillis: timeoutMillis } = this.#options;
    await unregisterBrokerAll(this.#client, [address], identity, { timeoutMillis });
    this.#disconnect(address);
  }

  async #unregisterAll(addresses: readonly string[]): Promise<FanOutResult<void>> {
    const { identity, unregisterBrokerTimeoutMillis: timeoutMillis } = this.#options;
    const result = await unregisterBrokerAll(this.#client, addresses, identity, { timeoutMillis });
    for (const { address, status } of result.outcomes) if (status !== 'ok') this.#disconnect(address);
    return result;
  }

  /** Another's client may have other uses for the connection. */
  #disconnect(address: string): void {
    if (this.#ownsClient) void this.#client.remotingClient.channel(address)?.close();
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

function ownClient(options: ResolvedBrokerRegistrarOptions, clock: Clock): NameServerClient {
  const { fiveX, registerBrokerTimeoutMillis } = options;
  const remotingClientOptions: RemotingClientOptions = {
    version: fiveX ? MqVersion.V5_3_3 : MqVersion.V4_9_7,
    // A name server forgets the broker with its connection, so one that is merely slow keeps it.
    closeSocketIfTimeout: false,
    initChannel: (channel) => new SilenceHandler(clock, registerBrokerTimeoutMillis).addTo(channel),
  };
  return new NameServerClient({ clock, remotingClientOptions });
}
