import type { BrokerData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';

/**
 * brokerAddrTable: the broker groups by name (reference: nameserver 3.1), with an index of the groups that show an address.
 *
 * Each BrokerData is immutable and may be handed out; a change puts a new one.
 */
export class BrokerAddrTable {
  readonly #groups = new Map<string, BrokerData>();
  readonly #namesByAddr = new Map<string, Set<string>>();

  get size(): number {
    return this.#groups.size;
  }

  get(brokerName: string): BrokerData | undefined {
    return this.#groups.get(brokerName);
  }

  entries(): IterableIterator<[string, BrokerData]> {
    return this.#groups.entries();
  }

  /** The groups that have this address as a member; a copy. */
  namesOf(addr: string): string[] {
    return [...(this.#namesByAddr.get(addr) ?? [])];
  }

  put(group: BrokerData): void {
    this.#unindex(group.brokerName);
    this.#groups.set(group.brokerName, group);
    for (const addr of group.brokerAddrs.values()) {
      const names = this.#namesByAddr.get(addr);
      if (names === undefined) this.#namesByAddr.set(addr, new Set([group.brokerName]));
      else names.add(group.brokerName);
    }
  }

  delete(brokerName: string): void {
    this.#unindex(brokerName);
    this.#groups.delete(brokerName);
  }

  #unindex(brokerName: string): void {
    for (const addr of this.#groups.get(brokerName)?.brokerAddrs.values() ?? []) {
      const names = this.#namesByAddr.get(addr);
      names?.delete(brokerName);
      if (names?.size === 0) this.#namesByAddr.delete(addr);
    }
  }
}

/**
 * The members with this address under this id and no other: a slave that becomes master leaves its old id (reference: nameserver 3.4).
 * Ids ascend, as they do in Apache's maps for the ids that occur.
 */
export function withMember(
  brokerAddrs: ReadonlyMap<Long, string>,
  brokerId: Long,
  addr: string,
): ReadonlyMap<Long, string> {
  const members: [Long, string][] = [[brokerId, addr]];
  for (const member of brokerAddrs) {
    if (member[0] !== brokerId && member[1] !== addr) members.push(member);
  }
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(members);
}

/** The members without this address. */
export function withoutMember(brokerAddrs: ReadonlyMap<Long, string>, addr: string): ReadonlyMap<Long, string> {
  return new Map([...brokerAddrs].filter(([, member]) => member !== addr));
}

/** Whether both have the same addresses under the same ids. */
export function sameMembers(a: ReadonlyMap<Long, string>, b: ReadonlyMap<Long, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [brokerId, addr] of a) if (b.get(brokerId) !== addr) return false;
  return true;
}
