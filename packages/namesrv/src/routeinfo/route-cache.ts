/**
 * Encoded route answers, kept until something that they show changes (design decision 2).
 *
 * Whoever changes what a route shows calls {@link RouteCache.invalidateTopic}: RouteTables does for the tables; what a caller adds
 * to the bytes from elsewhere, for instance the order configuration, is the caller's to invalidate.
 */
export class RouteCache {
  /** Told of each topic whose answers are not good any more, kept or not. */
  onInvalidated: ((topic: string) => void) | undefined;
  readonly #dialects = new Map<string | number, Map<string, Buffer>>();

  /** The number of answers kept. */
  get size(): number {
    let size = 0;
    for (const routes of this.#dialects.values()) size += routes.size;
    return size;
  }

  /**
   * The kept bytes, or those that `encode` makes, which are then kept. `undefined` from `encode` (no such topic) is not kept.
   *
   * @param dialectKey names one of a few ways to encode a route; nothing that a peer can choose freely.
   */
  get<T extends Buffer | undefined>(topic: string, dialectKey: string | number, encode: () => T): Buffer | T {
    const kept = this.#dialects.get(dialectKey)?.get(topic);
    if (kept !== undefined) return kept;
    const bytes = encode();
    if (bytes !== undefined) {
      const routes = this.#dialects.get(dialectKey);
      if (routes === undefined) this.#dialects.set(dialectKey, new Map([[topic, bytes]]));
      else routes.set(topic, bytes);
    }
    return bytes;
  }

  /** {@link invalidateTopic} of the topics that are kept, in any dialect, and are meant. */
  invalidateKept(isMeant: (topic: string) => boolean): void {
    for (const routes of this.#dialects.values())
      for (const topic of routes.keys()) if (isMeant(topic)) this.invalidateTopic(topic);
  }

  invalidateTopic(topic: string): void {
    for (const routes of this.#dialects.values()) routes.delete(topic);
    this.onInvalidated?.(topic);
  }
}
