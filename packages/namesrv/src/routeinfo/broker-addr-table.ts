import type { BrokerData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import { BrokerGroup } from './broker-group.js';

/** A broker group, to read. */
export type ReadableBrokerGroup = Omit<BrokerGroup, 'putMember' | 'removeMember' | 'setFlags'>;

/**
 * brokerAddrTable: the broker groups by name (reference: nameserver 3.1), with an index of the groups that show an address. A change
 * costs what it touches, however many members a group has.
 */
export class BrokerAddrTable {
  readonly #groups = new Map<string, BrokerGroup>();
  readonly #namesByAddr = new Map<string, Set<string>>();

  /** The group as it is now; it changes with the table. */
  group(brokerName: string): ReadableBrokerGroup | undefined {
    return this.#groups.get(brokerName);
  }

  /** The group as clients see it; does not change any more. */
  get(brokerName: string): BrokerData | undefined {
    return this.#groups.get(brokerName)?.data;
  }

  *entries(): IterableIterator<[string, BrokerData]> {
    for (const [brokerName, group] of this.#groups) yield [brokerName, group.data];
  }

  /** The address of some broker. */
  anyAddr(): string | undefined {
    for (const group of this.#groups.values()) if (group.minId !== undefined) return group.addrOf(group.minId);
    return undefined;
  }

  /** The groups that have this address as a member; a copy. */
  namesOf(addr: string): string[] {
    return [...(this.#namesByAddr.get(addr) ?? [])];
  }

  /** Makes the group where it is not there, of this cluster, and puts the address under the id; false when that changed nothing. */
  putMember(brokerName: string, cluster: string, brokerId: Long, addr: string): boolean {
    let group = this.#groups.get(brokerName);
    if (group === undefined) {
      group = new BrokerGroup(brokerName, cluster);
      this.#groups.set(brokerName, group);
    }
    const { changed, replaced } = group.putMember(brokerId, addr);
    if (!changed) return false;
    if (replaced !== undefined) this.#unindex(replaced, brokerName);
    const names = this.#namesByAddr.get(addr);
    if (names === undefined) this.#namesByAddr.set(addr, new Set([brokerName]));
    else names.add(brokerName);
    return true;
  }

  /** Takes an address out of a group; false when it is no member. */
  removeMember(brokerName: string, addr: string): boolean {
    if (this.#groups.get(brokerName)?.removeMember(addr) !== true) return false;
    this.#unindex(addr, brokerName);
    return true;
  }

  /** Sets the group's 5.x flags; false when that changed nothing. */
  setFlags(brokerName: string, zoneName: string | undefined, enableActingMaster: boolean): boolean {
    return this.#groups.get(brokerName)?.setFlags(zoneName, enableActingMaster) ?? false;
  }

  /** Removes a group that has no member any more. */
  delete(brokerName: string): void {
    this.#groups.delete(brokerName);
  }

  #unindex(addr: string, brokerName: string): void {
    const names = this.#namesByAddr.get(addr);
    names?.delete(brokerName);
    if (names?.size === 0) this.#namesByAddr.delete(addr);
  }
}
