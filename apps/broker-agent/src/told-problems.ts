/** Remembers what was told of an outage, so that each kind of problem is told once until it is over, also where they alternate. */
export class ToldProblems {
  readonly #kinds = new Set<string>();

  /** Whether nothing of this kind was told yet; texts that differ in numbers alone, such as counts and times, are of one kind. */
  isNews(problem: string): boolean {
    const kind = problem.replace(/\d+/g, '#');
    if (this.#kinds.has(kind)) return false;
    this.#kinds.add(kind);
    return true;
  }

  /** The outage is over. */
  clear(): void {
    this.#kinds.clear();
  }
}
