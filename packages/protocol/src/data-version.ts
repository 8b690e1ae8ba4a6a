import type { Long } from '@rmqns/remoting/json';

/**
 * The version of a broker's topic table: any difference means change, order means nothing (reference: nameserver 3.1).
 * 4.x brokers have no `stateVersion`; it reads as 0.
 */
export interface DataVersion {
  /** When the table last changed, in milliseconds since 1970 by the broker's clock. */
  readonly timestamp: Long;
  /** Counts changes; null only when a peer wrote null. */
  readonly counter: Long | null;
  readonly stateVersion: Long;
}

/** Whether two versions name the same content. */
export function sameDataVersion(a: DataVersion, b: DataVersion): boolean {
  return a.timestamp === b.timestamp && a.counter === b.counter && a.stateVersion === b.stateVersion;
}
