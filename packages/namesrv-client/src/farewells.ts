import type { BrokerIdentity } from './broker-identity.js';
import type { FanOutResult } from './fan-out.js';
import type { NameServerClient } from './name-server-client.js';
import { unregisterBrokerAll } from './unregister-broker-all.js';

export interface FarewellsOptions {
  readonly client: NameServerClient;
  /** Whether connections may be closed; another's client may have other uses for them. */
  readonly closesConnections: boolean;
  readonly timeoutMillis: number;
}

/** Tells name servers that a broker leaves, and knows which of them are still being told. */
export class Farewells {
  readonly #options: FarewellsOptions;
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(options: FarewellsOptions) {
    this.#options = options;
  }

  /** Tells all of them at once. Those that did not take it lose their connection, for which they forget the broker, too. */
  async tell(addresses: readonly string[], identity: BrokerIdentity): Promise<FanOutResult<void>> {
    const { client, timeoutMillis } = this.#options;
    const told = unregisterBrokerAll(client, addresses, identity, { timeoutMillis });
    for (const address of addresses) this.#keep(address, told);
    const result = await told;
    for (const { address, status } of result.outcomes) if (status !== 'ok') this.disconnect(address);
    return result;
  }

  /** Settles when nobody is being told any more; never rejects. */
  async ended(address?: string): Promise<void> {
    await (address === undefined ? Promise.all(this.#pending.values()) : this.#pending.get(address));
  }

  disconnect(address: string): void {
    if (this.#options.closesConnections) void this.#options.client.remotingClient.channel(address)?.close();
  }

  #keep(address: string, told: Promise<unknown>): void {
    const all = Promise.all([this.#pending.get(address), told]).then(() => {
      if (this.#pending.get(address) === all) this.#pending.delete(address);
    });
    this.#pending.set(address, all);
  }
}
