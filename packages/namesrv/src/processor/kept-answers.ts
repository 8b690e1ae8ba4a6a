/** Answers of one kind that are kept at the same time. */
const MAX_KEPT = 16;

/**
 * Encoded answers, kept until what they show changes: many requests for the same list then share one piece of memory
 * (design decision 2; RouteCache is the same for routes).
 */
export class KeptAnswers {
  readonly #answers = new Map<string, Buffer>();
  #revision = -1;

  /**
   * The kept bytes of a key, or those that `encode` makes.
   *
   * @param revision the number of changes so far to anything that an answer of this kind shows
   * @param key names something that is in the tables; few of them are kept
   */
  get(revision: number, key: string, encode: () => Buffer): Buffer {
    if (revision !== this.#revision) {
      this.#answers.clear();
      this.#revision = revision;
    }
    let bytes = this.#answers.get(key);
    if (bytes === undefined) {
      if (this.#answers.size >= MAX_KEPT) this.#answers.clear();
      bytes = encode();
      this.#answers.set(key, bytes);
    }
    return bytes;
  }
}
