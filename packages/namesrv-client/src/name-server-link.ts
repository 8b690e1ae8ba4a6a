import { type DataVersion, ResponseCode, sameDataVersion } from '@rmqns/protocol';
import { type Channel, CommandError, RemotingError, type Timer } from '@rmqns/remoting';
import type { Long } from '@rmqns/remoting/json';
import { type BrokerConflict, BrokerConflictError, MembersQuery } from './broker-conflict.js';
import type { BrokerIdentity } from './broker-identity.js';
import { type NameServerOutcome, outcomeOf } from './fan-out.js';
import type { DataVersionAnswer, NameServerClient, RegisterBrokerResult } from './name-server-client.js';
import { ReconnectBackoff } from './reconnect-backoff.js';
import type { RegisterBrokerRequest } from './register-broker-request.js';
import type { RegistrationRequests } from './registration-requests.js';
import { SilenceHandler } from './silence-handler.js';
import { TurnQueue } from './turn-queue.js';

export interface NameServerLinkOptions {
  readonly client: NameServerClient;
  readonly address: string;
  /** For one registration. */
  readonly timeoutMillis: number;
  /** The requests for the table as it is now. */
  readonly currentRequests: () => RegistrationRequests;
  /** Told of every registration that the link made by itself. */
  readonly onReconnect: (outcome: NameServerOutcome<RegisterBrokerResult>) => void;
  /** Told once when connections are lost soon after the broker was registered on them, again and again. */
  readonly onFlapping: (shortConnections: number) => void;
  /** Whose name and id are looked for before each registration; `undefined`: nobody's. */
  readonly guarded?: (() => BrokerIdentity) | undefined;
  /** Told when another holds them, when yet another does, and, with `undefined`, when nobody does any more. */
  readonly onConflict: (conflict: BrokerConflict | undefined) => void;
  readonly random: () => number;
  /** By how much chance may lengthen the wait before a lost name server is tried again. */
  readonly reconnectJitterMillis: number;
  /** Nothing is sent before this has settled. */
  readonly after?: Promise<unknown> | undefined;
}

/**
 * A broker's dealings with one name server, over one long-lived connection. They never wait for another name server, and are done one
 * after the other, so that an older table never follows a newer one. While one is under way at most one registration waits, and takes
 * the newest table when its turn comes.
 *
 * A name server knows a broker by the connection of its last registration and drops it when that ends (reference: broker-registration
 * 3.2). So as soon as the connection is lost, or could not be made, the link tries again with a growing wait, and registers the
 * whole table as soon as it succeeds.
 */
export class NameServerLink {
  readonly address: string;
  readonly #options: NameServerLinkOptions;
  readonly #backoff: ReconnectBackoff;
  readonly #left = new AbortController();
  readonly #turns: TurnQueue;
  readonly #members: MembersQuery;
  #conflict: BrokerConflict | undefined;
  /** Whether the next registration asks nobody. */
  #takesOver = false;
  /** What the registration that waits is to send. */
  #next: { requests: RegistrationRequests; oneway: boolean } | undefined;
  /** How many registrations have begun. */
  #attempts = 0;
  #channel: Channel | undefined;
  /** The connection on which the name server acknowledged a whole table. */
  #registeredOn: Channel | undefined;
  /** The connection on which the name server has, or will have, an empty table. */
  #introducedOn: Channel | undefined;
  /** The version of the table that it has, as far as it said so on that connection. */
  #acknowledged: DataVersion | undefined;
  /** When the whole table was acknowledged first on the connection that is watched. */
  #registeredSinceMillis: number | undefined;
  #reconnectTimer: Timer | undefined;

  constructor(options: NameServerLinkOptions) {
    this.address = options.address;
    this.#options = options;
    this.#backoff = new ReconnectBackoff(options.random, options.reconnectJitterMillis);
    this.#turns = new TurnQueue(options.after);
    this.#members = new MembersQuery(options.client, options.address);
  }

  /** The other that holds the broker's name and id there. */
  get conflict(): BrokerConflict | undefined {
    return this.#conflict;
  }

  /** Whether the connection stands on which the name server acknowledged a whole table. */
  get isRegistered(): boolean {
    return this.#registeredOn?.isActive === true;
  }

  get #isIntroduced(): boolean {
    return this.#introducedOn?.isActive === true;
  }

  get #openChannel(): Channel | undefined {
    return this.#options.client.remotingClient.channel(this.address);
  }

  /** Whether connections are lost soon after the broker was registered on them, and the present one, if any, is not older yet. */
  get isFlapping(): boolean {
    return this.#backoff.isFlapping(this.#registeredMillis());
  }

  /**
   * Registers, at once unless something is under way. What waits already is done once for all, with these requests, and with an answer
   * if any of them wants one.
   *
   * @throws RemotingError as `NameServerClient.registerBroker`; `ABORTED` once left; BrokerConflictError, and nothing was sent
   */
  register(requests: RegistrationRequests, oneway: boolean): Promise<RegisterBrokerResult> {
    this.#next = { requests, oneway: oneway && this.#next?.oneway !== false };
    return this.#turns.run('register', async () => {
      const next = this.#next ?? { requests, oneway };
      this.#next = undefined;
      return await this.#send(() => next.requests, next.oneway);
    });
  }

  /**
   * Asks in its turn whether the name server has this version of the table; one question that waits does for all. After a conflict it has
   * another one, whatever it says.
   *
   * @throws RemotingError as `NameServerClient.queryDataVersion`; `ABORTED` once left; BrokerConflictError
   */
  queryDataVersion(identity: BrokerIdentity, dataVersion: DataVersion, fiveX: boolean): Promise<DataVersionAnswer> {
    const { client, address, timeoutMillis } = this.#options;
    const { signal } = this.#left;
    return this.#turns.run('query', async () => {
      return await this.#watching(async () => {
        const { conflict } = this;
        await this.#standBack();
        if (conflict !== undefined) return { changed: true, dataVersion: undefined };
        return await client.queryDataVersion(address, identity, dataVersion, { timeoutMillis, signal, fiveX });
      });
    });
  }

  /** Registers the whole table now, outside any round, unless that was tried meanwhile or is to come. Never rejects. */
  async reconnect(): Promise<void> {
    const { address, currentRequests, client, onReconnect } = this.#options;
    const attempts = this.#attempts;
    await this.#turns.run('reconnect', async () => {
      if (this.isRegistered || this.#left.signal.aborted) return;
      if (this.#next !== undefined || this.#attempts !== attempts) return;
      const outcome = await outcomeOf(address, async () => this.#send(currentRequests, false), false, client.clock);
      if (!this.#left.signal.aborted) onReconnect(outcome);
    });
  }

  /** The next registration is sent whoever holds the broker's name and id. */
  takeOver(): void {
    this.#takesOver = true;
  }

  /** A sign of life, now, whatever is under way, and only where the broker is registered. Never rejects: a lost connection is seen anyway. */
  async heartbeat(send: (address: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.isRegistered || this.#left.signal.aborted) return;
    await send(this.address, this.#left.signal).catch(() => {});
  }

  /** The members of the broker's group there, addresses by id, whatever is under way; `undefined`: not registered, or no answer. Never rejects. */
  async members(identity: BrokerIdentity, timeoutMillis: number): Promise<ReadonlyMap<Long, string> | undefined> {
    if (!this.isRegistered || this.#left.signal.aborted) return undefined;
    return await this.#members.ask(identity, { timeoutMillis, signal: this.#left.signal }).catch(() => undefined);
  }

  /** From now on nothing is registered any more, not even what waits for its turn. The connection stays. */
  leave(): void {
    this.#left.abort();
    this.#reconnectTimer?.cancel();
  }

  /** @param current called when its turn has come; what it throws counts as a failed registration, which is tried again */
  #send(current: () => RegistrationRequests, oneway: boolean): Promise<RegisterBrokerResult> {
    this.#attempts++;
    const { client, address, timeoutMillis } = this.#options;
    return this.#watching(async () => {
      const requests = current();
      await this.#standBack();
      const deadline = this.#now() + timeoutMillis;
      const introduces = !this.isRegistered && !this.#isIntroduced;
      if (introduces) await this.#introduce(requests, deadline);
      if (oneway) {
        this.#acknowledged = undefined;
        for (const part of requests.whole) {
          const options = { signal: this.#left.signal, timeoutMillis: this.#until(deadline) };
          await client.registerBrokerOneway(address, part, options);
        }
        return {};
      }
      const { partial } = requests;
      const isPartial = partial !== undefined && this.#has(partial.since);
      try {
        if (!isPartial) return await this.#sendTable(requests.whole, requests.dataVersion, deadline);
        return await this.#sendTable([partial.request], requests.dataVersion, deadline);
      } catch (error) {
        // Another process with this identity may have told it that the broker left, while this connection stands.
        if (introduces || (requests.introduction === undefined && !isPartial) || !isRefusal(error)) throw error;
        await this.#introduce(requests, deadline);
        return await this.#sendTable(requests.whole, requests.dataVersion, deadline);
      }
    });
  }

  /** @throws BrokerConflictError when another holds the broker's name and id; RemotingError when the name server cannot be reached */
  async #standBack(): Promise<void> {
    const { guarded, address, timeoutMillis } = this.#options;
    if (guarded === undefined || this.#takesOver) return;
    const identity = guarded();
    let holderAddr: string | undefined;
    try {
      // Half of the time: one that is slow is to have its registration all the same.
      const options = { signal: this.#left.signal, timeoutMillis: Math.ceil(timeoutMillis / 2) };
      holderAddr = (await this.#members.ask(identity, options)).get(identity.brokerId);
    } catch (error) {
      if (this.#openChannel === undefined || this.#left.signal.aborted) throw error;
      return;
    }
    if (holderAddr === undefined || holderAddr === identity.brokerAddr) {
      this.#setConflict(undefined);
      return;
    }
    const { brokerName, brokerId, brokerAddr } = identity;
    const conflict = { nameServer: address, brokerName, brokerId, brokerAddr, holderAddr };
    this.#registeredOn = undefined;
    this.#introducedOn = undefined;
    this.#acknowledged = undefined;
    this.#setConflict(conflict);
    throw new BrokerConflictError(conflict);
  }

  #setConflict(conflict: BrokerConflict | undefined): void {
    if (conflict?.holderAddr === this.#conflict?.holderAddr) return;
    this.#conflict = conflict;
    this.#options.onConflict(conflict);
  }

  /** Whether the name server is known to have that version of the table. */
  #has(dataVersion: DataVersion): boolean {
    return this.isRegistered && this.#acknowledged !== undefined && sameDataVersion(this.#acknowledged, dataVersion);
  }

  async #introduce({ introduction }: RegistrationRequests, deadline: number): Promise<void> {
    if (introduction === undefined) return;
    const options = { signal: this.#left.signal, timeoutMillis: this.#until(deadline) };
    try {
      await this.#options.client.registerBroker(this.address, introduction, options);
    } catch (error) {
      // One that is slow has it all the same: were it to come first each time, the table would never be sent.
      if (!isTimeout(error)) throw error;
      this.#introducedOn = this.#openChannel;
      throw error;
    }
    this.#introducedOn = this.#openChannel;
  }

  async #sendTable(
    parts: readonly RegisterBrokerRequest[],
    dataVersion: DataVersion,
    deadline: number,
  ): Promise<RegisterBrokerResult> {
    const { client, address } = this.#options;
    this.#acknowledged = undefined;
    let result: RegisterBrokerResult = {};
    try {
      for (const part of parts) {
        const options = { signal: this.#left.signal, timeoutMillis: this.#until(deadline) };
        result = await client.registerBroker(address, part, options);
      }
    } catch (error) {
      if (error instanceof CommandError) {
        this.#registeredOn = undefined;
        this.#introducedOn = undefined;
      }
      throw error;
    }
    this.#registeredOn = this.#openChannel;
    this.#registeredSinceMillis ??= this.#now();
    this.#acknowledged = dataVersion;
    if (this.#takesOver) {
      this.#takesOver = false;
      this.#setConflict(undefined);
    }
    return result;
  }

  /** Runs what uses the connection, and looks after it then. */
  async #watching<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      const channel = this.#openChannel;
      if (channel !== undefined && isTimeout(error)) SilenceHandler.of(channel)?.timedOut(channel);
      throw error;
    } finally {
      this.#watchConnection();
    }
  }

  #watchConnection(): void {
    const channel = this.#openChannel;
    if (channel === undefined) this.#onLost();
    else if (channel !== this.#channel) {
      this.#channel = channel;
      void channel.closed.then(() => {
        if (this.#channel === channel) this.#onLost();
      });
    }
  }

  #onLost(): void {
    this.#channel = undefined;
    const registeredMillis = this.#registeredMillis();
    this.#registeredSinceMillis = undefined;
    if (this.#left.signal.aborted) return;
    if (registeredMillis !== undefined && this.#backoff.lost(registeredMillis))
      this.#options.onFlapping(this.#backoff.shortConnections);
    if (this.#reconnectTimer !== undefined) return;
    this.#reconnectTimer = this.#options.client.clock.setTimeout(() => {
      this.#reconnectTimer = undefined;
      void this.reconnect();
    }, this.#backoff.nextMillis());
  }

  #registeredMillis(): number | undefined {
    return this.#registeredSinceMillis === undefined ? undefined : this.#now() - this.#registeredSinceMillis;
  }

  #until(deadline: number): number {
    const { timeoutMillis } = this.#options;
    const left = Math.ceil(deadline - this.#now());
    if (left > 0) return left;
    const message = `${this.address} took all of ${timeoutMillis} ms to answer; not all of the table was sent`;
    throw new RemotingError('TIMEOUT', message, { address: this.address });
  }

  #now(): number {
    return this.#options.client.clock.monotonic();
  }
}

/** `register broker failed` of a 5.x name server, and whatever else has no code of its own. */
function isRefusal(error: unknown): boolean {
  return error instanceof CommandError && error.responseCode === ResponseCode.SYSTEM_ERROR;
}

function isTimeout(error: unknown): boolean {
  return RemotingError.is(error) && error.code === 'TIMEOUT';
}
