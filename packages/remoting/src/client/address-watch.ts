import type { LookupFunction } from 'node:net';
import type { Channel } from '../channel/channel.js';
import { parseSocketAddress } from '../channel/socket-address.js';

/** The addresses that a host name has now. */
export function resolveName(lookup: LookupFunction, name: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

/** Whether the other side of a connection is one of the addresses that its name has now. */
export function isStillAt(channel: Channel, addresses: readonly string[]): boolean {
  return addresses.includes(parseSocketAddress(channel.remoteAddress).host);
}
