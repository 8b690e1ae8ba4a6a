import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Channel } from '../channel/channel.js';
import { parseSocketAddress } from '../channel/socket-address.js';
import { nameOf, parseDialTarget } from './dial-target.js';

/** The addresses that a host name has now. */
function resolveName(name: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

/**
 * Whether the other side of a connection is one of the addresses that the name has now for which it was dialled. True where there is no name, and
 * while the resolver fails: that takes no connection which works.
 */
export async function isStillAt(
  channel: Channel,
  address: string,
  lookup: LookupFunction = systemLookup,
): Promise<boolean> {
  const name = nameOf(parseDialTarget(address));
  if (name === undefined) return true;
  try {
    return (await resolveName(name, lookup)).includes(parseSocketAddress(channel.remoteAddress).host);
  } catch {
    return true;
  }
}
