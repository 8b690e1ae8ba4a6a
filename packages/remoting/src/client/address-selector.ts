/**
 * Which of several equal servers to talk to (reference: remoting 4.4): one is chosen and kept while it works; after a failure the next
 * takes its place, round the list. The first choice is random, so that clients spread.
 */
export class AddressSelector {
  #addresses: readonly string[] = [];
  #index: number;
  #chosen: string | undefined;

  /** @param random 0 up to 1, decides where the round begins */
  constructor(random: number = Math.random()) {
    this.#index = Math.floor(random * 999);
  }

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** The address in use, if any. */
  get chosen(): string | undefined {
    return this.#chosen;
  }

  /** Takes a new list. An empty one is ignored; the choice stays while it is still on the list. */
  update(addresses: readonly string[]): void {
    if (addresses.length === 0) return;
    this.#addresses = [...new Set(addresses)];
    if (this.#chosen !== undefined && !this.#addresses.includes(this.#chosen)) this.#chosen = undefined;
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
}
