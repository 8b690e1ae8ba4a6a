/** clusterAddrTable: the names of the broker groups of each cluster (reference: nameserver 3.1). No cluster is without a name. */
export class ClusterAddrTable {
  readonly #clusters = new Map<string, Set<string>>();

  get size(): number {
    return this.#clusters.size;
  }

  has(cluster: string): boolean {
    return this.#clusters.has(cluster);
  }

  brokerNamesOf(cluster: string): ReadonlySet<string> | undefined {
    return this.#clusters.get(cluster);
  }

  entries(): IterableIterator<[string, ReadonlySet<string>]> {
    return this.#clusters.entries();
  }

  /** The clusters that list this broker name; a copy. */
  clustersOf(brokerName: string): string[] {
    return [...this.#clusters].filter(([, names]) => names.has(brokerName)).map(([cluster]) => cluster);
  }

  /** Lists the name; true when that made the cluster. */
  add(cluster: string, brokerName: string): boolean {
    const names = this.#clusters.get(cluster);
    if (names === undefined) {
      this.#clusters.set(cluster, new Set([brokerName]));
      return true;
    }
    names.add(brokerName);
    return false;
  }

  /** Takes the name out; true when that was the end of the cluster. */
  remove(cluster: string, brokerName: string): boolean {
    const names = this.#clusters.get(cluster);
    if (names === undefined || !names.delete(brokerName) || names.size > 0) return false;
    return this.#clusters.delete(cluster);
  }
}
