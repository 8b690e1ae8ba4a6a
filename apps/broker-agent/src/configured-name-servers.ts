import { lookup } from 'node:dns/promises';
import type { Clock, Logger } from '@rmqns/remoting';
import type { AgentConfig, DiscoveryConfig } from './agent-config.js';
import { listedNameServers, type NameServerSource } from './name-server-source.js';
import { addressServer, nameServersFile } from './polled-name-servers.js';
import { type LookupAll, ResolvedNameServers } from './resolved-name-servers.js';
import { urlName } from './url-name.js';

/** As the machine's resolver says, hosts file included, which is what the names of a list are dialled by, too. */
const lookupAll: LookupAll = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/** The source of name servers that the configuration asks for. */
export function nameServerSource(config: AgentConfig, clock: Clock, logger: Logger): NameServerSource {
  const { discovery, namesrvAddresses } = config;
  if (discovery === undefined) return listedNameServers(namesrvAddresses);
  const everyMillis = discovery.refreshMillis;
  const source = underlying(discovery, namesrvAddresses, { everyMillis, clock, logger });
  return discovery.dns ? new ResolvedNameServers({ source, lookup: lookupAll, everyMillis, clock, logger }) : source;
}

/** The name servers of the configuration in words. */
export function describeNameServers({ discovery, namesrvAddresses }: AgentConfig): string {
  if (discovery?.file !== undefined) return `the name servers of ${discovery.file}`;
  if (discovery?.addressServer !== undefined) return `the name servers that ${urlName(discovery.addressServer)} tells`;
  return namesrvAddresses.join(', ');
}

function underlying(
  { file, addressServer: url }: DiscoveryConfig,
  addresses: readonly string[],
  given: Parameters<typeof addressServer>[1],
): NameServerSource {
  if (file !== undefined) return nameServersFile(file, given);
  return url === undefined ? listedNameServers(addresses) : addressServer(url, given);
}
