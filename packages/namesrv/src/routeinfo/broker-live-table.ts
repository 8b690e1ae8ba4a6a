import type { DataVersion } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';

/** Who sent a request: any value that is the same for one connection and different for two, for instance its channel. */
export type BrokerConnection = object | number;

/** What keeps a broker in the tables (upstream: `BrokerLiveInfo`). */
export interface BrokerLiveInfo {
  readonly clusterName: string;
  readonly brokerAddr: string;
  readonly brokerName: string;
  readonly brokerId: Long;
  /** Number of the registration that made this entry: a later one is greater. */
  readonly incarnation: number;
  readonly dataVersion: DataVersion;
  readonly haServerAddr: string | undefined;
  /** How long the broker may be silent. */
  readonly heartbeatTimeoutMillis: number;
  /** When it was last heard, by the monotonic clock of the caller, in milliseconds. */
  readonly lastUpdateMillis: number;
  /** The connection it was last heard on. */
  readonly connection: BrokerConnection;
}

/**
 * brokerLiveTable: the brokers that are heard, by (cluster, address) as in 5.x (reference: nameserver 3.1), and by connection, which
 * may carry several of them.
 */
export class BrokerLiveTable {
  readonly #byAddr = new Map<string, Map<string, BrokerLiveInfo>>();
  readonly #byConnection = new Map<BrokerConnection, Set<BrokerLiveInfo>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(clusterName: string, brokerAddr: string): BrokerLiveInfo | undefined {
    return this.#byAddr.get(brokerAddr)?.get(clusterName);
  }

  /** The entries with this address, one for each cluster it registered in; a copy. */
  at(brokerAddr: string): BrokerLiveInfo[] {
    return [...(this.#byAddr.get(brokerAddr)?.values() ?? [])];
  }

  has(brokerAddr: string): boolean {
    return this.#byAddr.has(brokerAddr);
  }

  /** The brokers last heard on this connection; a copy. */
  over(connection: BrokerConnection): BrokerLiveInfo[] {
    return [...(this.#byConnection.get(connection) ?? [])];
  }

  connections(): IterableIterator<BrokerConnection> {
    return this.#byConnection.keys();
  }

  *values(): IterableIterator<BrokerLiveInfo> {
    for (const entries of this.#byAddr.values()) yield* entries.values();
  }

  /** Adds the entry or replaces the one of its cluster and address. */
  put(entry: BrokerLiveInfo): void {
    const entries = this.#byAddr.get(entry.brokerAddr);
    const before = entries?.get(entry.clusterName);
    if (before === undefined) this.#size += 1;
    else this.#leave(before);
    if (entries === undefined) this.#byAddr.set(entry.brokerAddr, new Map([[entry.clusterName, entry]]));
    else entries.set(entry.clusterName, entry);
    const carried = this.#byConnection.get(entry.connection);
    if (carried === undefined) this.#byConnection.set(entry.connection, new Set([entry]));
    else carried.add(entry);
  }

  /** Removes this very entry; false when it is no longer in the table, for instance because the broker registered again. */
  delete(entry: BrokerLiveInfo): boolean {
    const entries = this.#byAddr.get(entry.brokerAddr);
    if (entries?.get(entry.clusterName) !== entry) return false;
    entries.delete(entry.clusterName);
    if (entries.size === 0) this.#byAddr.delete(entry.brokerAddr);
    this.#leave(entry);
    this.#size -= 1;
    return true;
  }

  #leave(entry: BrokerLiveInfo): void {
    const carried = this.#byConnection.get(entry.connection);
    carried?.delete(entry);
    if (carried?.size === 0) this.#byConnection.delete(entry.connection);
  }
}
