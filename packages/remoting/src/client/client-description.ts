import type { Permits } from '../rpc/permits.js';

/** A connection of a client. */
export interface ChannelDescription {
  readonly id: number;
  /** As the calls name it. */
  readonly address: string | undefined;
  readonly remoteAddress: string;
  readonly localAddress: string;
  /** `draining`: takes no further calls, and is closed when those over it have ended. */
  readonly state: 'active' | 'draining';
  /** Calls that wait for answers over it. */
  readonly pendingCalls: number;
  readonly pendingBytes: number;
  readonly isWritable: boolean;
}

export interface PermitsDescription {
  readonly total: number;
  readonly free: number;
  readonly waiting: number;
}

/** What a client is doing, as plain data that can be written as JSON. */
export interface ClientDescription {
  readonly state: 'open' | 'closing';
  readonly channels: readonly ChannelDescription[];
  /** Addresses that are being dialled. */
  readonly dialling: readonly string[];
  /** Calls that have not ended, by the address they are for; those without one are under `null`. */
  readonly pendingCalls: Readonly<Record<string, number>>;
  readonly permits: { readonly async: PermitsDescription; readonly oneway: PermitsDescription };
  readonly nameServers: {
    readonly addresses: readonly string[];
    readonly chosen: string | null;
    readonly available: readonly string[];
  };
  /** Addresses whose last dials failed: why, how many in a row, and how long until the next may be made. */
  readonly connectFailures: readonly {
    readonly address: string;
    readonly attempts: number;
    readonly nextDialMillis: number;
    readonly code: string;
    readonly message: string;
  }[];
}

export function describePermits({ total, free, waiting }: Permits): PermitsDescription {
  return { total, free, waiting };
}

/** How many there are of each. */
export function countBy<T>(items: Iterable<T>, key: (item: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return Object.fromEntries(counts);
}
