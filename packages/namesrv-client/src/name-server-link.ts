import { ResponseCode } from '@rmqns/protocol';
import { type Channel, CommandError, RemotingError, type Timer } from '@rmqns/remoting';
import { type NameServerOutcome, outcomeOf } from './fan-out.js';
import type { NameServerClient, RegisterBrokerResult } from './name-server-client.js';
import { ReconnectBackoff } from './reconnect-backoff.js';
import type { RegistrationRequests } from './registration-requests.js';

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
  readonly random: () => number;
  /** Nothing is sent before this has settled. */
  readonly after?: Promise<unknown> | undefined;
}

/**
 * A broker's dealings with one name server, over one long-lived connection. Registrations are sent one after the other, so that an
 * older table never follows a newer one, and never wait for another name server.
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
  #tail: Promise<unknown>;
  #channel: Channel | undefined;
  /** The connection on which the name server acknowledged a whole table. */
  #registeredOn: Channel | undefined;
  /** When that happened first on the connection that is watched. */
  #registeredSinceMillis: number | undefined;
  #reconnectTimer: Timer | undefined;

  constructor(options: NameServerLinkOptions) {
    this.address = options.address;
    this.#options = options;
    this.#backoff = new ReconnectBackoff(options.random);
    this.#tail = options.after ?? Promise.resolve();
  }

  /** Whether the connection stands on which the name server acknowledged a whole table. */
  get isRegistered(): boolean {
    return this.#registeredOn?.isActive === true;
  }

  /** Whether connections are lost soon after the broker was registered on them, and the present one, if any, is not older yet. */
  get isFlapping(): boolean {
    return this.#backoff.isFlapping(this.#registeredMillis());
  }

  /**
   * Registers after the registrations already under way; the time for those counts.
   *
   * @throws RemotingError as `NameServerClient.registerBroker`; `TIMEOUT`, with nothing sent, when the turn came too late; `ABORTED` once left
   */
  register(requests: RegistrationRequests, oneway: boolean): Promise<RegisterBrokerResult> {
    const deadline = this.#now() + this.#options.timeoutMillis;
    return this.#inTurn(() => this.#send(requests, oneway, deadline));
  }

  /** Registers the whole table now, outside any round, unless that was done meanwhile. Never rejects. */
  async reconnect(): Promise<void> {
    const { address, timeoutMillis, currentRequests, client, onReconnect } = this.#options;
    await this.#inTurn(async () => {
      if (this.isRegistered || this.#left.signal.aborted) return;
      const send = async () => this.#send(currentRequests(), false, this.#now() + timeoutMillis);
      const outcome = await outcomeOf(address, send, false, client.clock);
      if (!this.#left.signal.aborted) onReconnect(outcome);
    });
  }

  /** From now on nothing is registered any more, not even what waits for its turn. The connection stays. */
  leave(): void {
    this.#left.abort();
    this.#reconnectTimer?.cancel();
  }

  async #send(requests: RegistrationRequests, oneway: boolean, deadline: number): Promise<RegisterBrokerResult> {
    const { client, address } = this.#options;
    const { signal } = this.#left;
    const introduced = !this.isRegistered;
    try {
      if (introduced) await this.#introduce(requests, deadline);
      if (oneway) {
        await client.registerBrokerOneway(address, requests.full, { signal, timeoutMillis: this.#until(deadline) });
        return {};
      }
      try {
        return await this.#sendWholeTable(requests, deadline);
      } catch (error) {
        // Another process with this identity may have told it that the broker left, while this connection stands.
        if (introduced || requests.introduction === undefined || !isRefusal(error)) throw error;
        await this.#introduce(requests, deadline);
        return await this.#sendWholeTable(requests, deadline);
      }
    } finally {
      this.#watchConnection();
    }
  }

  async #introduce({ introduction }: RegistrationRequests, deadline: number): Promise<void> {
    if (introduction === undefined) return;
    const options = { signal: this.#left.signal, timeoutMillis: this.#until(deadline) };
    await this.#options.client.registerBroker(this.address, introduction, options);
  }

  async #sendWholeTable({ full }: RegistrationRequests, deadline: number): Promise<RegisterBrokerResult> {
    const { client, address } = this.#options;
    const options = { signal: this.#left.signal, timeoutMillis: this.#until(deadline) };
    try {
      const result = await client.registerBroker(address, full, options);
      this.#registeredOn = client.remotingClient.channel(address);
      this.#registeredSinceMillis ??= this.#now();
      return result;
    } catch (error) {
      if (error instanceof CommandError) this.#registeredOn = undefined;
      throw error;
    }
  }

  #watchConnection(): void {
    const channel = this.#options.client.remotingClient.channel(this.address);
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
    const message = `${this.address} had not answered the registration before within ${timeoutMillis} ms; this one was not sent`;
    throw new RemotingError('TIMEOUT', message, { address: this.address });
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(task);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #now(): number {
    return this.#options.client.clock.monotonic();
  }
}

/** `register broker failed` of a 5.x name server, and whatever else has no code of its own. */
function isRefusal(error: unknown): boolean {
  return error instanceof CommandError && error.responseCode === ResponseCode.SYSTEM_ERROR;
}
