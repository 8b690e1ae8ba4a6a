import { isIP } from 'node:net';

/** A name that DNS or a hosts file may have; `_` stands in names of containers. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/** What is wrong with a host that others are to dial, an IP address or a name without port; `undefined` when nothing is. */
export function hostProblem(host: string): string | undefined {
  if (isIP(host) !== 0) return undefined;
  const quoted = JSON.stringify(host);
  if (/^[^:]+:\d+$/.test(host)) return `${quoted} is a host with a port, where the host alone belongs`;
  if (/^\[.*\]$/.test(host)) return `${quoted} is no address; write an IPv6 address without brackets`;
  // As 10.0.0 and 10.0.0.256 do; no top-level name is a number.
  if (!HOST_NAME.test(host) || /(?:^|\.)\d+\.?$/.test(host)) return `${quoted} is no address and no host name`;
  return undefined;
}
