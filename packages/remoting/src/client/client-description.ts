import type { Channel } from '../channel/channel.js';
import type { CallPath } from '../rpc/call-path.js';
import type { Permits } from '../rpc/permits.js';
import type { ResponseFuture } from '../rpc/response-future.js';
import type { ChannelTable } from './channel-table.js';
import type { DrainingChannels } from './draining-channels.js';
import type { NameServerChannels } from './name-server-channels.js';

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

/** What a client consists of. */
export interface ClientParts {
  readonly state: 'open' | 'closing';
  readonly table: ChannelTable;
  readonly draining: DrainingChannels;
  readonly nameServers: NameServerChannels;
  readonly calls: CallPath;
  readonly pending: Iterable<ResponseFuture>;
}

export function describeClient({
  state,
  table,
  draining,
  nameServers,
  calls,
  pending,
}: ClientParts): ClientDescription {
  const describeChannel = (channel: Channel, of: ChannelDescription['state']): ChannelDescription => ({
    id: channel.id,
    address: table.addressOf(channel),
    remoteAddress: channel.remoteAddress,
    localAddress: channel.localAddress,
    state: of,
    pendingCalls: calls.responseTable.waitingOn(channel),
    pendingBytes: channel.pendingBytes,
    isWritable: channel.isWritable,
  });
  const active = table.channels().filter((channel) => channel.isActive);
  return {
    state,
    channels: [
      ...active.map((channel) => describeChannel(channel, 'active')),
      ...draining.channels().map((channel) => describeChannel(channel, 'draining')),
    ],
    dialling: table.dialling(),
    pendingCalls: countByAddress(pending),
    permits: { async: describePermits(calls.asyncPermits), oneway: describePermits(calls.onewayPermits) },
    nameServers: {
      addresses: nameServers.addresses,
      chosen: nameServers.chosen ?? null,
      available: nameServers.available,
    },
    connectFailures: table.failures().map(({ address, attempts, nextDialMillis, error }) => {
      return { address, attempts, nextDialMillis, code: error.code, message: error.message };
    }),
  };
}

function describePermits({ total, free, waiting }: Permits): PermitsDescription {
  return { total, free, waiting };
}

function countByAddress(pending: Iterable<ResponseFuture>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { address = 'null' } of pending) counts.set(address, (counts.get(address) ?? 0) + 1);
  return Object.fromEntries(counts);
}
