import type { BrokerData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import { BrokerGroup } from './broker-group.js';
import { firstInJavaOrder } from './java-hash-order.js';

/** A broker group, to read. */
export type ReadableBrokerGroup = Omit<BrokerGroup, 'putMember' | 'removeMember' | 'setFlags' | 'countTopicChange'>;

/**
 * brokerAddrTable: the broker groups by name (reference: nameserver 3.1), with an index of the groups that show an address. A change
 * costs what it touches, however many members a group has.
 */
export class BrokerAddrTable {
  readonly #groups = new Map<string, BrokerGroup>();
  readonly #namesByAddr = new Map<string, Set<string>>();
  /** Names of zones in lower case, each with the number of its groups. */
  readonly #zones = new Map<string, number>();

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

  /** The address that Apache's finds first, whose table is made with this capacity. */
  firstAddr(capacity: number): string | undefined {
    const groups = this.#groups.values();
    return firstInJavaOrder(groups, ({ brokerName }) => brokerName, { size: this.#groups.size, capacity })?.firstAddr;
  }

  /** The groups that have this address as a member; a copy. */
  namesOf(addr: string): string[] {
    return [...(this.#namesByAddr.get(addr) ?? [])];
  }

  /** Whether a group is in a zone, whose name is given in lower case. */
  hasZone(name: string): boolean {
    return this.#zones.has(name);
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
    const group = this.#groups.get(brokerName);
    if (group === undefined) return false;
    const before = group.zoneName;
    if (!group.setFlags(zoneName, enableActingMaster)) return false;
    this.#countZone(before, -1);
    this.#countZone(zoneName, 1);
    return true;
  }

  /** The queues of a topic on the group have changed. */
  countTopicChange(brokerName: string): void {
    this.#groups.get(brokerName)?.countTopicChange();
  }

  /** Removes a group that has no member any more. */
  delete(brokerName: string): void {
    this.#countZone(this.#groups.get(brokerName)?.zoneName, -1);
    this.#groups.delete(brokerName);
  }

  #countZone(zoneName: string | undefined, by: 1 | -1): void {
    if (zoneName === undefined) return;
    const name = zoneName.toLowerCase();
    const groups = (this.#zones.get(name) ?? 0) + by;
    if (groups > 0) this.#zones.set(name, groups);
    else this.#zones.delete(name);
  }

  #unindex(addr: string, brokerName: string): void {
    const names = this.#namesByAddr.get(addr);
    names?.delete(brokerName);
    if (names?.size === 0) this.#namesByAddr.delete(addr);
  }
}
