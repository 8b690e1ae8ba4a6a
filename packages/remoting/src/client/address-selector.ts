/**
 * Which of several equal servers to talk to (reference: remoting 4.4): one is chosen and kept while it works; after a failure the next
 * takes its place, round the list. The order is shuffled, so that clients spread, also when a server fails.
 */
export class AddressSelector {
  #given: readonly string[] = [];
  #addresses: readonly string[] = [];
  #index = 0;
  #chosen: string | undefined;
  readonly #random: () => number;

  /** @param random 0 up to 1, decides the order */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** As they were given, each once. */
  get addresses(): readonly string[] {
    return this.#given;
  }

  /** The address in use, if any. */
  get chosen(): string | undefined {
    return this.#chosen;
  }

  /**
   * Takes a new list, and gives back the addresses that are not on it any more. An empty one, and one with the same members, changes
   * nothing; the choice stays while it is still on the list.
   */
  update(addresses: readonly string[]): string[] {
    const given = [...new Set(addresses)];
    const dropped = this.#given.filter((address) => !given.includes(address));
    if (given.length === 0 || (dropped.length === 0 && given.length === this.#given.length)) return [];
    this.#given = given;
    this.#addresses = this.#shuffled(given);
    this.#index = 0;
    if (this.#chosen !== undefined && !given.includes(this.#chosen)) this.#chosen = undefined;
    if (this.#chosen !== undefined) this.#index = this.#addresses.indexOf(this.#chosen);
    return dropped;
  }

  /** Every address once, in the order to try them: the one in use first. */
  candidates(): string[] {
    const { length } = this.#addresses;
    const round = this.#addresses.map((_, i) => this.#addresses[(this.#index + i) % length] as string);
    const chosen = this.#chosen;
    return chosen === undefined ? round : [chosen, ...round.filter((address) => address !== chosen)];
  }

  /** This one works: keep it. */
  choose(address: string): void {
    const at = this.#addresses.indexOf(address);
    if (at < 0) return;
    this.#chosen = address;
    this.#index = at;
  }

  /** This one failed: the next one's turn. */
  fail(address: string): void {
    if (this.#chosen === address) this.#chosen = undefined;
    if (this.#addresses[this.#index % Math.max(1, this.#addresses.length)] === address) this.#index++;
  }

  #shuffled(addresses: readonly string[]): string[] {
    const order = [...addresses];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(this.#random() * (i + 1));
      [order[i], order[j]] = [order[j] as string, order[i] as string];
    }
    return order;
  }
}
