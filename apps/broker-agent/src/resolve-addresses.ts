import { autoAddress, describeAutoAddress } from './auto-address.js';
import { hostProblem } from './host-problem.js';
import { checkAddresses, checkNamesrvAddresses, type NamesrvAddresses, parseNamesrvAddr } from './namesrv-addresses.js';
import { addressServerUrl } from './polled-name-servers.js';
import type { Surroundings } from './surroundings.js';
import { valueAt, type YamlPath } from './yaml-places.js';

/** Told of a problem with a key. */
export type Complain = (key: YamlPath, problem: string) => void;

/** Whom the agent dials, and where others dial the broker. */
export interface ResolvedAddresses {
  readonly namesrvAddresses: readonly string[];
  /** A file that names them. */
  readonly file: string | undefined;
  /** The URL of a server that names them. */
  readonly addressServer: string | undefined;
  readonly brokerName: string;
  readonly host: string;
  /** `undefined`: the port after the broker's own, at the same address, as a broker has it. */
  readonly haServerAddr: string | undefined;
  /** The broker whose role is followed. */
  readonly roleOf: string | undefined;
  readonly filterServers: readonly string[];
  readonly notes: readonly string[];
}

interface Context {
  readonly complain: Complain;
  /** For what has no key. */
  readonly problems: string[];
  readonly namesrvAddr: string | undefined;
  readonly surroundings: Surroundings;
}

/**
 * Finds the addresses of the agent's own YAML, with what the machine says where it is silent. Takes it as written, right or wrong, so that
 * all problems can be told at once; a value of the wrong kind is told elsewhere, and passed over here.
 */
export function resolveAddresses(written: unknown, context: Context): ResolvedAddresses {
  const { complain, surroundings } = context;
  const { file, addressServer } = resolveDiscovery(written, context);
  const namesrv =
    file === undefined && addressServer === undefined
      ? resolveNamesrv(valueAt(written, ['namesrv', 'addresses']), context)
      : { addresses: [] };
  const notes: string[] = [];
  const host = resolveHost(valueAt(written, ['identity', 'address']) ?? 'auto', surroundings, notes, (problem) =>
    complain(['identity', 'address'], problem),
  );
  const haAddress = valueAt(written, ['identity', 'haAddress']) ?? 'auto';
  const ha = checkAddresses(haAddress === 'auto' ? [] : texts([haAddress]));
  for (const problem of ha.problems) complain(['identity', 'haAddress'], problem);
  const role = checkAddresses(texts([valueAt(written, ['identity', 'roleOf'])]));
  for (const problem of role.problems) complain(['identity', 'roleOf'], problem);
  const filterServers: string[] = [];
  for (const [index, text] of texts(valueAt(written, ['identity', 'filterServers'])).entries()) {
    const checked = checkAddresses([text]);
    filterServers.push(...checked.addresses);
    for (const problem of checked.problems) complain(['identity', 'filterServers', index], problem);
  }
  const brokerName = valueAt(written, ['identity', 'brokerName']) ?? surroundings.hostName;
  if (brokerName === '' && surroundings.hostName === '' && valueAt(written, ['identity', 'brokerName']) === undefined)
    complain(['identity', 'brokerName'], 'must be set: this machine has no name');
  return {
    namesrvAddresses: namesrv.addresses,
    file,
    addressServer,
    brokerName: String(brokerName),
    host,
    haServerAddr: ha.addresses[0],
    roleOf: role.addresses[0],
    filterServers,
    notes,
  };
}

/** A file or an address server in the place of a list, unless `-n` names one. */
function resolveDiscovery(written: unknown, { complain, namesrvAddr }: Context) {
  if (namesrvAddr !== undefined) return { file: undefined, addressServer: undefined };
  const [file] = texts([valueAt(written, ['namesrv', 'file'])]);
  const [domain] = texts([valueAt(written, ['namesrv', 'addressServer'])]);
  const addressServer = domain === undefined ? undefined : addressServerUrl(domain);
  const named = ['addresses', 'file', 'addressServer'].filter((key) => valueAt(written, ['namesrv', key]) != null);
  if (named.length > 1)
    complain(
      ['namesrv', named[1] ?? ''],
      `must not stand beside ${named[0]}: only one can say which name servers there are`,
    );
  if (addressServer !== undefined && !URL.canParse(addressServer))
    complain(['namesrv', 'addressServer'], `"${domain}" is neither a URL of http or https nor a host or host:port`);
  return { file, addressServer };
}

/** `-n` comes before the file, and the file before the environment. */
function resolveNamesrv(
  written: unknown,
  { complain, problems, namesrvAddr, surroundings }: Context,
): NamesrvAddresses {
  if (namesrvAddr !== undefined) {
    const given = parseNamesrvAddr(namesrvAddr);
    for (const problem of given.problems) problems.push(`-n namesrvAddr: ${problem}`);
    return given;
  }
  if (written !== undefined && !Array.isArray(written)) return { addresses: [], problems: [] };
  const found =
    written === undefined
      ? parseNamesrvAddr(surroundings.variables['NAMESRV_ADDR'] ?? '')
      : written.length > texts(written).length
        ? checkAddresses(texts(written))
        : checkNamesrvAddresses(texts(written));
  for (const problem of found.problems) complain(['namesrv', 'addresses'], problem);
  return found;
}

/** `auto`, `auto:INTERFACE`, or what is there. */
function resolveHost(
  address: unknown,
  surroundings: Surroundings,
  notes: string[],
  complain: (problem: string) => void,
): string {
  const [text] = texts([address]);
  if (text === undefined) return '';
  const [, interfaceName] = /^auto(?::(.+))?$/.exec(text) ?? [];
  if (text !== 'auto' && interfaceName === undefined) {
    const problem = hostProblem(text);
    if (problem !== undefined) complain(problem);
    return text;
  }
  const own = autoAddress(surroundings.networkInterfaces, interfaceName);
  if (own.problem !== undefined) {
    complain(`${own.problem}; write the address that clients dial`);
    return '';
  }
  notes.push(`identity.address is ${text}: ${describeAutoAddress(own)}`);
  return own.address;
}

/** The texts of a list that are not blank. */
function texts(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.filter((item): item is string => typeof item === 'string' && item.trim() !== '');
}
