import { formatSocketAddress, parseSocketAddress, RemotingError } from '@rmqns/remoting';

/** Name server addresses as somebody wrote them, checked: `host:port` each, without blanks around, none twice. */
export interface NamesrvAddresses {
  readonly addresses: readonly string[];
  readonly problems: readonly string[];
}

/** Reads `host:port;host:port`, as `namesrvAddr` and `NAMESRV_ADDR` hold it; empty parts are passed over. */
export function parseNamesrvAddr(text: string): NamesrvAddresses {
  return checkNamesrvAddresses(text.split(';').filter((part) => part.trim() !== ''));
}

export function checkNamesrvAddresses(texts: readonly string[]): NamesrvAddresses {
  const addresses = new Set<string>();
  const problems: string[] = [];
  for (const text of texts) {
    try {
      const { host, port } = parseSocketAddress(text.trim());
      if (port === 0) problems.push(`${JSON.stringify(text)} is no host:port: nobody listens on port 0`);
      else addresses.add(formatSocketAddress(host, port));
    } catch (error) {
      if (!RemotingError.is(error)) throw error;
      problems.push(error.message);
    }
  }
  if (addresses.size === 0 && problems.length === 0)
    problems.push('no name server is given; write host:port, several separated by ";", or use -n');
  return { addresses: [...addresses], problems };
}
