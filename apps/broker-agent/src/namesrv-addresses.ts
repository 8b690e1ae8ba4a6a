import { formatSocketAddress, parseSocketAddress, RemotingError } from '@rmqns/remoting';
import { hostProblem } from './host-problem.js';

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
  const checked = checkAddresses(texts);
  if (checked.addresses.length > 0 || checked.problems.length > 0) return checked;
  return { addresses: [], problems: ['no name server is given; write host:port, several separated by ";", or use -n'] };
}

/** The same for any `host:port` that others are to dial; none is no problem. */
export function checkAddresses(texts: readonly string[]): NamesrvAddresses {
  const addresses = new Set<string>();
  const problems: string[] = [];
  for (const text of texts) {
    try {
      const { host, port } = parseSocketAddress(text.trim());
      const problem = port === 0 ? 'nobody listens on port 0' : hostProblem(host);
      if (problem === undefined) addresses.add(formatSocketAddress(host, port));
      else problems.push(`${JSON.stringify(text)} is no host:port: ${problem}`);
    } catch (error) {
      if (!RemotingError.is(error)) throw error;
      problems.push(error.message);
    }
  }
  return { addresses: [...addresses], problems };
}
