const NONE: readonly string[] = [];

/** filterServerTable: the filter servers of a broker, by (cluster, address) as in 5.x or by address as in 4.x (reference: nameserver 3.1). No list is empty. */
export class FilterServerTable {
  readonly #byCluster: boolean;
  readonly #lists = new Map<string, Map<string, readonly string[]>>();

  /** @param byCluster whether the same address in two clusters has two lists (5.x). */
  constructor(byCluster: boolean) {
    this.#byCluster = byCluster;
  }

  get(clusterName: string, brokerAddr: string): readonly string[] {
    return this.#lists.get(brokerAddr)?.get(this.#clusterKey(clusterName)) ?? NONE;
  }

  /** Every list; in 4.x of the cluster ''. */
  *entries(): IterableIterator<[clusterName: string, brokerAddr: string, filterServers: readonly string[]]> {
    for (const [brokerAddr, lists] of this.#lists) {
      for (const [clusterName, list] of lists) yield [clusterName, brokerAddr, list];
    }
  }

  /** Replaces the list; an empty one removes it. False when nothing changed. */
  put(clusterName: string, brokerAddr: string, filterServers: readonly string[]): boolean {
    if (sameList(this.get(clusterName, brokerAddr), filterServers)) return false;
    const key = this.#clusterKey(clusterName);
    const lists = this.#lists.get(brokerAddr);
    if (filterServers.length > 0) {
      if (lists === undefined) this.#lists.set(brokerAddr, new Map([[key, [...filterServers]]]));
      else lists.set(key, [...filterServers]);
    } else {
      lists?.delete(key);
      if (lists?.size === 0) this.#lists.delete(brokerAddr);
    }
    return true;
  }

  #clusterKey(clusterName: string): string {
    return this.#byCluster ? clusterName : '';
  }
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
