import type { BrokerData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import { firstInJavaOrder } from './java-hash-order.js';

/** One broker group while it changes. What is handed out is a copy, made when it is asked for and kept until the next change. */
export class BrokerGroup {
  readonly brokerName: string;
  /** That of the first member, also when others registered under another (reference: nameserver 3.4). */
  readonly cluster: string;
  readonly #addrs = new Map<Long, string>();
  readonly #ids = new Map<string, Long>();
  #zoneName: string | undefined;
  #enableActingMaster = false;
  /** Undefined when it has to be looked for. */
  #minId: Long | undefined;
  #data: BrokerData | undefined;
  #topicChanges = 0;

  constructor(brokerName: string, cluster: string) {
    this.brokerName = brokerName;
    this.cluster = cluster;
  }

  get size(): number {
    return this.#addrs.size;
  }

  get zoneName(): string | undefined {
    return this.#zoneName;
  }

  get enableActingMaster(): boolean {
    return this.#enableActingMaster;
  }

  /** How often the queues of a topic on this group have changed. */
  get topicChanges(): number {
    return this.#topicChanges;
  }

  countTopicChange(): void {
    this.#topicChanges += 1;
  }

  addrOf(brokerId: Long): string | undefined {
    return this.#addrs.get(brokerId);
  }

  hasMember(addr: string): boolean {
    return this.#ids.has(addr);
  }

  /** The smallest id that has a member. */
  get minId(): Long | undefined {
    if (this.#minId === undefined) {
      for (const id of this.#addrs.keys()) if (this.#minId === undefined || id < this.#minId) this.#minId = id;
    }
    return this.#minId;
  }

  /** The address that Java's map of the ids shows first: of the smallest one, as long as ids are small and not negative. */
  get firstAddr(): string | undefined {
    const entries = this.#addrs.entries();
    return firstInJavaOrder(entries, ([id]) => id, { size: this.#addrs.size, capacity: 16 })?.[1];
  }

  /** The group as clients see it, ids ascending as they do in Apache's maps for the ids that occur; immutable. */
  get data(): BrokerData {
    this.#data ??= {
      cluster: this.cluster,
      brokerName: this.brokerName,
      brokerAddrs: new Map([...this.#addrs].sort(([a], [b]) => (a < b ? -1 : 1))),
      zoneName: this.#zoneName,
      enableActingMaster: this.#enableActingMaster,
    };
    return this.#data;
  }

  /**
   * Puts an address under an id and no other: a slave that becomes master leaves its old id (reference: nameserver 3.4). Returns
   * whether that changed anything, and the address that held the id.
   */
  putMember(brokerId: Long, addr: string): { readonly changed: boolean; readonly replaced?: string | undefined } {
    const replaced = this.#addrs.get(brokerId);
    if (replaced === addr) return { changed: false };
    this.removeMember(addr);
    if (replaced !== undefined) this.#ids.delete(replaced);
    this.#addrs.set(brokerId, addr);
    this.#ids.set(addr, brokerId);
    if (this.#minId !== undefined && brokerId < this.#minId) this.#minId = brokerId;
    this.#data = undefined;
    return { changed: true, replaced };
  }

  /** Takes an address out, whatever its id; false when it is no member. */
  removeMember(addr: string): boolean {
    const brokerId = this.#ids.get(addr);
    if (brokerId === undefined) return false;
    this.#ids.delete(addr);
    this.#addrs.delete(brokerId);
    if (brokerId === this.#minId) this.#minId = undefined;
    this.#data = undefined;
    return true;
  }

  /** The 5.x flags, which are those of the member that registered last; false when they were so already. */
  setFlags(zoneName: string | undefined, enableActingMaster: boolean): boolean {
    if (zoneName === this.#zoneName && enableActingMaster === this.#enableActingMaster) return false;
    this.#zoneName = zoneName;
    this.#enableActingMaster = enableActingMaster;
    this.#data = undefined;
    return true;
  }
}
