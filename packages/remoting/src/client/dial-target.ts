import { isIP } from 'node:net';
import { parseSocketAddress } from '../channel/socket-address.js';
import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';

/** Where a dial goes: a host and a port, or the path of a Unix socket. */
export type DialTarget =
  | { readonly host: string; readonly port: number; readonly path?: undefined }
  | { readonly path: string; readonly host?: undefined; readonly port?: undefined };

const UNIX = 'unix:';

/**
 * Reads what a call is addressed to: `host:port`, `[v6]:port`, `v6:port` (split at the last colon, as upstream), or `unix:/path/of/socket`.
 *
 * @throws RemotingError INVALID_ARGUMENT saying what is wrong
 */
export function parseDialTarget(address: string): DialTarget {
  if (address.startsWith(UNIX)) {
    const path = address.slice(UNIX.length);
    if (path.startsWith('/')) return { path };
    throw invalid(address, 'the path of a Unix socket must be absolute');
  }
  return parseSocketAddress(address);
}

/** What is wrong with the address of a call when it is not even a text, for callers not written in TypeScript. */
export function addressProblem(address: unknown): string | undefined {
  if (typeof address === 'string' || address === undefined) return undefined;
  return `an address must be a string such as "host:port", or undefined for one of the name servers, not ${textOfGiven(address)}`;
}

/** The name that must be resolved before this can be dialled, if it has one. */
export function nameOf({ host }: DialTarget): string | undefined {
  return host === undefined || isIP(host) !== 0 ? undefined : host;
}

function invalid(address: string, why: string): RemotingError {
  return new RemotingError('INVALID_ARGUMENT', `${JSON.stringify(address)} cannot be dialled: ${why}`);
}
