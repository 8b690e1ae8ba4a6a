/** Beyond so many different codes the rest share one count: a peer can send any number, and memory is bounded. */
const MAX_CODES = 1024;

interface Count {
  value: number;
}

/** How often each code was seen (upstream: the "code distribution" of 5.3.3, which resets when it is read; this one does not). */
export class CodeDistribution {
  readonly #counts = new Map<number, Count>();
  #others = 0;
  /** Most often the next code is the same one again. */
  #lastCode = 0;
  #last: Count | undefined;

  add(code: number): void {
    if (code === this.#lastCode && this.#last !== undefined) this.#last.value++;
    else this.#addOther(code);
  }

  #addOther(code: number): void {
    const count = this.#counts.get(code);
    if (count !== undefined) {
      count.value++;
      this.#lastCode = code;
      this.#last = count;
    } else if (this.#counts.size < MAX_CODES) this.#counts.set(code, { value: 1 });
    else this.#others++;
  }

  /** The counts by code, ascending, and those of further codes as `others` where there are any. */
  snapshot(): Record<string, number> {
    const snapshot: Record<string, number> = {};
    for (const code of [...this.#counts.keys()].sort((a, b) => a - b))
      snapshot[code] = (this.#counts.get(code) as Count).value;
    if (this.#others > 0) snapshot['others'] = this.#others;
    return snapshot;
  }
}
