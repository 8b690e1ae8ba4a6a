import { RemotingError } from '../errors.js';

export interface SocketAddress {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535. */
  readonly port: number;
}

const mappedIpv4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** `host:port`, IPv6 in brackets. An IPv4 address that a dual-stack socket shows as `::ffff:a.b.c.d` is shown as `a.b.c.d`. */
export function formatSocketAddress(host: string, port: number): string {
  const plain = mappedIpv4.exec(host)?.[1] ?? host;
  return plain.includes(':') ? `[${plain}]:${port}` : `${plain}:${port}`;
}

/**
 * Reads `host:port`, `[v6]:port` or `v6:port`; the last is split at its last colon, as upstream does.
 *
 * @throws RemotingError INVALID_ARGUMENT when there is no host, or no port from 0 to 65535
 */
export function parseSocketAddress(text: string): SocketAddress {
  if (text.includes('://')) throw invalid(text, 'an address has no scheme, only a host and a port');
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (colon < 0 || !/^\d{1,5}$/.test(digits) || port > 65535)
    throw invalid(text, 'the port, 0 to 65535, must follow the last colon');
  const bracketed = /^\[([^[\]]+)\]$/.exec(text.slice(0, colon));
  const host = bracketed?.[1] ?? text.slice(0, colon);
  if (host === '') throw invalid(text, 'the host is missing');
  if (/[\s[\]/]/.test(host)) throw invalid(text, 'the host has a character that no host has');
  if (bracketed !== null && !host.includes(':')) throw invalid(text, 'only IPv6 addresses stand in brackets');
  return { host, port };
}

function invalid(text: string, why: string): RemotingError {
  return new RemotingError('INVALID_ARGUMENT', `${JSON.stringify(text)} is no host:port: ${why}`);
}
