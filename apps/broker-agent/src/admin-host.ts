import { isIP } from 'node:net';

/**
 * Whether a `Host` header names this program in a way that no web page of somebody else's can: by an address, as `localhost`, or by one
 * of `names`. A name that leads to this machine only by DNS may be anybody's.
 */
export function isAllowedHost(header: string, names: readonly string[]): boolean {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(header) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  if (plain === undefined) return false;
  const name = plain.toLowerCase();
  return isIP(name) === 4 || name === 'localhost' || names.some((allowed) => allowed.toLowerCase() === name);
}

/** Whether only this machine reaches what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
