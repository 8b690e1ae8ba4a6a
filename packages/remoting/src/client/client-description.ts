import type { Channel } from '../channel/channel.js';
import {
  type ChannelDescription,
  type CoreDescription,
  describeChannel,
  describeCore,
} from '../rpc/core-description.js';
import type { RemotingCore } from '../rpc/remoting-core.js';
import type { ResponseFuture } from '../rpc/response-future.js';
import type { ChannelTable } from './channel-table.js';
import type { DrainingChannels } from './draining-channels.js';
import type { NameServerChannels } from './name-server-channels.js';

/** A connection of a client. */
export interface ClientChannelDescription extends ChannelDescription {
  /** As the calls name it. */
  readonly address: string | null;
  /** `draining`: takes no further calls, and is closed when those over it have ended. */
  readonly state: 'active' | 'draining';
}

/** What a client is doing, as plain data that can be written as JSON. */
export interface ClientDescription extends CoreDescription {
  readonly state: 'open' | 'closing';
  readonly channels: readonly ClientChannelDescription[];
  /** Addresses that are being dialled. */
  readonly dialling: readonly string[];
  /** Calls that have not ended, by the address they are for; those without one are under `null`. */
  readonly pendingCalls: Readonly<Record<string, number>>;
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
  readonly core: RemotingCore;
  readonly pending: Iterable<ResponseFuture>;
}

export function describeClient({ state, table, draining, nameServers, core, pending }: ClientParts): ClientDescription {
  const describe = (channel: Channel, of: ClientChannelDescription['state']): ClientChannelDescription => ({
    ...describeChannel(channel, core),
    address: table.addressOf(channel) ?? null,
    state: of,
  });
  const active = table.channels().filter((channel) => channel.isActive);
  return {
    ...describeCore(core),
    state,
    channels: [
      ...active.map((channel) => describe(channel, 'active')),
      ...draining.channels().map((channel) => describe(channel, 'draining')),
    ],
    dialling: table.dialling(),
    pendingCalls: countByAddress(pending),
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

function countByAddress(pending: Iterable<ResponseFuture>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { address = 'null' } of pending) counts.set(address, (counts.get(address) ?? 0) + 1);
  return Object.fromEntries(counts);
}
