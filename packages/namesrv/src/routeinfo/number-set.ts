/** Numbers of one page; a page of bits takes 512 bytes. */
const PAGE_NUMBERS = 4096;
const PAGE_WORDS = PAGE_NUMBERS / 32;

/**
 * A set of small numbers, one bit each. Pages without any take nothing, so that a few numbers cost little wherever they lie. The topics of
 * a broker are such a set: a set of their names would cost forty times as much, for each broker again.
 */
export class NumberSet {
  readonly #pages: (Int32Array | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    const page = this.#pages[Math.floor(number / PAGE_NUMBERS)];
    return page !== undefined && ((page[(number % PAGE_NUMBERS) >>> 5] as number) & (1 << (number & 31))) !== 0;
  }

  /** False when it is there already. */
  add(number: number): boolean {
    const pageNumber = Math.floor(number / PAGE_NUMBERS);
    // Without holes, which would make a dictionary of the list.
    while (this.#pages.length <= pageNumber) this.#pages.push(undefined);
    let page = this.#pages[pageNumber];
    if (page === undefined) {
      page = new Int32Array(PAGE_WORDS);
      this.#pages[pageNumber] = page;
    }
    return this.#turn(page, number, true);
  }

  /** False when it is not there. */
  delete(number: number): boolean {
    const page = this.#pages[Math.floor(number / PAGE_NUMBERS)];
    return page !== undefined && this.#turn(page, number, false);
  }

  /** Ascending. */
  *values(): IterableIterator<number> {
    for (const [pageNumber, page] of this.#pages.entries()) {
      if (page === undefined) continue;
      for (let word = 0; word < PAGE_WORDS; word++) {
        for (let bits = page[word] as number; bits !== 0; bits &= bits - 1) {
          yield pageNumber * PAGE_NUMBERS + word * 32 + (31 - Math.clz32(bits & -bits));
        }
      }
    }
  }

  #turn(page: Int32Array, number: number, on: boolean): boolean {
    const word = (number % PAGE_NUMBERS) >>> 5;
    const bit = 1 << (number & 31);
    const before = page[word] as number;
    if (((before & bit) !== 0) === on) return false;
    page[word] = before ^ bit;
    this.#size += on ? 1 : -1;
    return true;
  }
}
