/**
 * clusterAddrTable: the names of the broker groups of each cluster (reference: nameserver 3.1), with an index from a name to the
 * clusters that list it. No cluster is without a name.
 */
export class ClusterAddrTable {
  readonly #clusters = new Map<string, Set<string>>();
  readonly #clustersByName = new Map<string, Set<string>>();

  brokerNamesOf(cluster: string): ReadonlySet<string> | undefined {
    return this.#clusters.get(cluster);
  }

  entries(): IterableIterator<[string, ReadonlySet<string>]> {
    return this.#clusters.entries();
  }

  /** Whether the cluster lists this broker name. */
  lists(cluster: string, brokerName: string): boolean {
    return this.#clusters.get(cluster)?.has(brokerName) ?? false;
  }

  /** The clusters that list this broker name; a copy. */
  clustersOf(brokerName: string): string[] {
    return [...(this.#clustersByName.get(brokerName) ?? [])];
  }

  /** Lists the name, which the cluster does not list yet; true when that made the cluster. */
  add(cluster: string, brokerName: string): boolean {
    const clusters = this.#clustersByName.get(brokerName);
    if (clusters === undefined) this.#clustersByName.set(brokerName, new Set([cluster]));
    else clusters.add(cluster);
    const names = this.#clusters.get(cluster);
    if (names === undefined) this.#clusters.set(cluster, new Set([brokerName]));
    else names.add(brokerName);
    return names === undefined;
  }

  /** Takes the name out; true when that was the end of the cluster. */
  remove(cluster: string, brokerName: string): boolean {
    const clusters = this.#clustersByName.get(brokerName);
    clusters?.delete(cluster);
    if (clusters?.size === 0) this.#clustersByName.delete(brokerName);
    const names = this.#clusters.get(cluster);
    if (names === undefined || !names.delete(brokerName) || names.size > 0) return false;
    return this.#clusters.delete(cluster);
  }
}
