import type { BrokerConflict } from './broker-conflict.js';
import type { NameServerLink } from './name-server-link.js';

/** A broker's links, one for each address. */
export class NameServerLinks {
  readonly #links = new Map<string, NameServerLink>();
  readonly #make: (address: string) => NameServerLink;

  constructor(make: (address: string) => NameServerLink) {
    this.#make = make;
  }

  get size(): number {
    return this.#links.size;
  }

  get addresses(): string[] {
    return [...this.#links.keys()];
  }

  /** Those whose connection stands and that acknowledged the whole table on it. */
  get registeredAddresses(): string[] {
    return [...this].filter((link) => link.isRegistered).map(({ address }) => address);
  }

  /** Those that say yes and hang up. */
  get flappingAddresses(): string[] {
    return [...this].filter((link) => link.isFlapping).map(({ address }) => address);
  }

  get conflicts(): BrokerConflict[] {
    return [...this].flatMap(({ conflict }) => conflict ?? []);
  }

  /** Where a farewell would take nobody else off: 4.x name servers remove by name and id, whatever the address. */
  get heldAddresses(): string[] {
    return [...this].filter(({ conflict }) => conflict === undefined).map(({ address }) => address);
  }

  [Symbol.iterator](): IterableIterator<NameServerLink> {
    return this.#links.values();
  }

  get(address: string): NameServerLink | undefined {
    return this.#links.get(address);
  }

  /** The links as they are now, by address. */
  snapshot(): ReadonlyMap<string, NameServerLink> {
    return new Map(this.#links);
  }

  /** @returns the link where the address is new */
  add(address: string): NameServerLink | undefined {
    if (this.#links.has(address)) return undefined;
    const link = this.#make(address);
    this.#links.set(address, link);
    return link;
  }

  delete(address: string): void {
    this.#links.delete(address);
  }

  /** Nothing is registered any more by those that there are; the addresses get links anew. */
  renew(): void {
    const { addresses } = this;
    this.leave();
    this.#links.clear();
    for (const address of addresses) this.add(address);
  }

  leave(): void {
    for (const link of this) link.leave();
  }
}
