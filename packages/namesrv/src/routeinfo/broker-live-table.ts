import type { DataVersion } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { KeptBody } from './kept-body.js';

/** Who sent a request: any value that is the same for one connection and different for two, for instance its channel. */
export type BrokerConnection = object | number;

/** What a registration puts into brokerLiveTable. */
export interface BrokerLiveFields {
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
  /** The connection it registered on. Once that has closed: the one of {@link BrokerLiveInfo.otherConnections} that came last. */
  readonly connection: BrokerConnection;
}

/** What keeps a broker in the tables (upstream: `BrokerLiveInfo`). */
export interface BrokerLiveInfo extends BrokerLiveFields {
  /** Further connections it was heard on, the latest of them, in the order they came; none has closed. */
  readonly otherConnections: readonly BrokerConnection[];
  /** What its last registration said; undefined where that cannot be known again. */
  readonly keptBody: KeptBody | undefined;
}

type Entry = { -readonly [Field in keyof BrokerLiveInfo]: BrokerLiveInfo[Field] };

/** A broker has one connection, or two while it changes them. More are of use to nobody, and each costs memory. */
const MAX_OTHER_CONNECTIONS = 7;
const NONE: readonly BrokerConnection[] = [];

/** The entries of one cluster and address, by broker name. */
interface Place {
  readonly byName: Map<string, Entry>;
  /** The entry registered last; undefined when that one left, until it is asked for. */
  newest: Entry | undefined;
}

/**
 * brokerLiveTable: the brokers that are heard, by (cluster, address) as in 5.x or by address as in 4.x (reference: nameserver 3.1), and
 * by broker name: an address that registers under a second name has a second entry, so that each name lives and dies for itself.
 *
 * An index by connection knows all entries that were heard on one.
 */
export class BrokerLiveTable {
  readonly #byCluster: boolean;
  /** Address to cluster to the entries there; in 4.x one cluster, named '', stands for all. */
  readonly #places = new Map<string, Map<string, Place>>();
  /** Address to broker name to the number of entries. */
  readonly #names = new Map<string, Map<string, number>>();
  readonly #byConnection = new Map<BrokerConnection, Set<Entry>>();

  /** @param byCluster whether the same address in two clusters is two brokers (5.x). */
  constructor(byCluster: boolean) {
    this.#byCluster = byCluster;
  }

  get(clusterName: string, brokerAddr: string, brokerName: string): BrokerLiveInfo | undefined {
    return this.#place(clusterName, brokerAddr)?.byName.get(brokerName);
  }

  /** The registration that an address stands for where no name is given: the latest. Without a cluster, any cluster will do. */
  newest(clusterName: string | undefined, brokerAddr: string): BrokerLiveInfo | undefined {
    if (clusterName !== undefined) {
      const place = this.#place(clusterName, brokerAddr);
      return place && newestOf(place);
    }
    let newest: Entry | undefined;
    for (const place of this.#places.get(brokerAddr)?.values() ?? []) {
      const entry = newestOf(place);
      if (newest === undefined || entry.incarnation > newest.incarnation) newest = entry;
    }
    return newest;
  }

  /** An entry of this address and name, whatever the cluster. */
  named(brokerAddr: string, brokerName: string): BrokerLiveInfo | undefined {
    if (!this.has(brokerAddr, brokerName)) return undefined;
    for (const place of this.#places.get(brokerAddr)?.values() ?? []) {
      const entry = place.byName.get(brokerName);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  /** Whether the address is heard under this name, in any cluster. */
  has(brokerAddr: string, brokerName: string): boolean {
    return this.#names.get(brokerAddr)?.has(brokerName) ?? false;
  }

  /** Whether the address is heard in this cluster, under any name. */
  hasPlace(clusterName: string, brokerAddr: string): boolean {
    return this.#place(clusterName, brokerAddr) !== undefined;
  }

  /** The brokers heard on this connection; a copy. */
  over(connection: BrokerConnection): BrokerLiveInfo[] {
    return [...(this.#byConnection.get(connection) ?? [])];
  }

  *values(): IterableIterator<BrokerLiveInfo> {
    for (const places of this.#places.values()) {
      for (const { byName } of places.values()) yield* byName.values();
    }
  }

  /**
   * Adds the entry of a registration, or replaces the one of its cluster, address and name. A registration says where the broker is now:
   * connections from before it count no more, which may be dead without having closed.
   */
  put(fields: BrokerLiveFields): BrokerLiveInfo {
    const { clusterName, brokerAddr, brokerName, connection } = fields;
    const before = this.#place(clusterName, brokerAddr)?.byName.get(brokerName);
    const entry: Entry = { ...fields, otherConnections: NONE, keptBody: undefined };
    this.#enter(entry);
    if (before === undefined) {
      const names = getOrMake(this.#names, brokerAddr, () => new Map<string, number>());
      names.set(brokerName, (names.get(brokerName) ?? 0) + 1);
    } else {
      for (const held of [...before.otherConnections, before.connection]) this.#leave(before, held);
    }
    getOrMake(this.#byConnection, connection, () => new Set<Entry>()).add(entry);
    return entry;
  }

  /** {@link put} for a registration of which nothing but the time is new. */
  renew(live: BrokerLiveInfo, incarnation: number, nowMillis: number): void {
    const entry = this.#own(live);
    const place = this.#place(live.clusterName, live.brokerAddr);
    if (entry === undefined || place === undefined) return;
    entry.incarnation = incarnation;
    entry.lastUpdateMillis = nowMillis;
    place.newest = entry;
  }

  /** The broker was heard. */
  hear(live: BrokerLiveInfo, connection: BrokerConnection, nowMillis: number): void {
    const entry = this.#own(live);
    if (entry === undefined) return;
    entry.lastUpdateMillis = nowMillis;
    this.#hold(entry, connection);
  }

  /** Gives a broker more time to be heard. */
  postpone(live: BrokerLiveInfo, lastUpdateMillis: number): void {
    const entry = this.#own(live);
    if (entry !== undefined) entry.lastUpdateMillis = lastUpdateMillis;
  }

  keepBody(live: BrokerLiveInfo, keptBody: KeptBody): void {
    const entry = this.#own(live);
    if (entry !== undefined) entry.keptBody = keptBody;
  }

  /** The connection has closed: takes it from the brokers that were heard on it, and returns those that have no other. */
  close(connection: BrokerConnection): BrokerLiveInfo[] {
    const without: Entry[] = [];
    for (const entry of this.#byConnection.get(connection) ?? []) {
      const others = entry.otherConnections.filter((other) => other !== connection);
      const successor = others.at(-1);
      if (entry.connection !== connection) {
        entry.otherConnections = others;
        this.#leave(entry, connection);
      } else if (successor !== undefined) {
        entry.connection = successor;
        entry.otherConnections = others.slice(0, -1);
        this.#leave(entry, connection);
      } else {
        without.push(entry);
      }
    }
    return without;
  }

  /** Removes this very entry; false when it is no longer in the table, for instance because the broker registered again. */
  delete(live: BrokerLiveInfo): boolean {
    const entry = this.#own(live);
    if (entry === undefined) return false;
    const { clusterName, brokerAddr, brokerName } = entry;
    const place = this.#place(clusterName, brokerAddr);
    if (place !== undefined) {
      place.byName.delete(brokerName);
      if (place.newest === entry) place.newest = undefined;
      if (place.byName.size === 0) {
        const places = this.#places.get(brokerAddr);
        places?.delete(this.#clusterKey(clusterName));
        if (places?.size === 0) this.#places.delete(brokerAddr);
      }
    }
    const names = this.#names.get(brokerAddr);
    const left = (names?.get(brokerName) ?? 1) - 1;
    if (left > 0) names?.set(brokerName, left);
    else names?.delete(brokerName);
    if (names?.size === 0) this.#names.delete(brokerAddr);
    for (const connection of [entry.connection, ...entry.otherConnections]) this.#leave(entry, connection);
    return true;
  }

  #clusterKey(clusterName: string): string {
    return this.#byCluster ? clusterName : '';
  }

  #place(clusterName: string, brokerAddr: string): Place | undefined {
    return this.#places.get(brokerAddr)?.get(this.#clusterKey(clusterName));
  }

  #own({ clusterName, brokerAddr, brokerName, incarnation }: BrokerLiveInfo): Entry | undefined {
    const entry = this.#place(clusterName, brokerAddr)?.byName.get(brokerName);
    return entry?.incarnation === incarnation ? entry : undefined;
  }

  #enter(entry: Entry): void {
    const places = getOrMake(this.#places, entry.brokerAddr, () => new Map<string, Place>());
    const place = getOrMake(places, this.#clusterKey(entry.clusterName), () => ({
      byName: new Map<string, Entry>(),
      newest: undefined,
    }));
    place.byName.set(entry.brokerName, entry);
    place.newest = entry;
  }

  #hold(entry: Entry, connection: BrokerConnection): void {
    if (connection === entry.connection || entry.otherConnections.includes(connection)) return;
    const others = [...entry.otherConnections, connection];
    const [oldest] = others;
    if (others.length > MAX_OTHER_CONNECTIONS && oldest !== undefined) {
      others.shift();
      this.#leave(entry, oldest);
    }
    entry.otherConnections = others;
    getOrMake(this.#byConnection, connection, () => new Set<Entry>()).add(entry);
  }

  #leave(entry: Entry, connection: BrokerConnection): void {
    const carried = this.#byConnection.get(connection);
    carried?.delete(entry);
    if (carried?.size === 0) this.#byConnection.delete(connection);
  }
}

function newestOf(place: Place): Entry {
  let newest = place.newest;
  if (newest === undefined) {
    for (const entry of place.byName.values()) {
      if (newest === undefined || entry.incarnation > newest.incarnation) newest = entry;
    }
    place.newest = newest;
  }
  if (newest === undefined) throw new Error('a place without an entry was kept');
  return newest;
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
