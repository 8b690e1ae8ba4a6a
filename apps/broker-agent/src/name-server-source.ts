/** Something that knows the name servers, and may learn of others. The last good list stays whatever happens to it. */
export interface NameServerSource {
  /** For log and status: `list`, or what is asked. */
  readonly name: string;
  /**
   * `host:port` each, an IPv6 host in brackets, none twice and in any order: every address of every name. `undefined` as long as there was
   * no good list; an empty one is no good list.
   */
  readonly current: readonly string[] | undefined;
  /** Why the last look was not good; `undefined` when it was. */
  readonly problem?: string | undefined;
  /**
   * Settles after the first look, good or not. `onChange` is called whenever {@link current} differs after that: what is new there gets
   * the whole table at once, what is gone is told that the node leaves.
   */
  start(onChange: () => void): Promise<void>;
  close(): void;
}

/** The name servers that the configuration names, as they stand there. */
export function listedNameServers(addresses: readonly string[]): NameServerSource {
  return { name: 'list', current: addresses, start: async () => {}, close: () => {} };
}
