import { NameServerClient } from '@rmqns/namesrv-client';
import { Exit, ExitCode } from '@rmqns/program';
import type { AgentConfig, BrokerIdentity } from './agent-config.js';
import type { FileCredentials } from './file-credentials.js';
import { nameServerProblem } from './name-server-problem.js';
import type { NameServerSource } from './name-server-source.js';
import { brokerIdentity } from './register-request.js';
import { table } from './text-table.js';

/** What became of a node at one name server. */
interface TakenOut {
  readonly address: string;
  readonly outcome: 'unregistered' | 'was not there' | 'failed';
  /** Why it failed, or who else has its name and id. */
  readonly remark: string;
}

/** For each of the two calls. */
const TIMEOUT_MILLIS = 3_000;

/**
 * Takes a node out of each name server, under whichever id it has there. Asks first: 4.x name servers remove by name and id, whoever has
 * them, and another node at another address is left alone.
 */
function takeOut(
  client: NameServerClient,
  addresses: readonly string[],
  identity: BrokerIdentity,
): Promise<TakenOut[]> {
  return Promise.all(addresses.map((address) => takeOutOf(client, address, identity)));
}

async function takeOutOf(client: NameServerClient, address: string, identity: BrokerIdentity): Promise<TakenOut> {
  const { brokerName, brokerAddr, brokerId } = identity;
  try {
    const options = { timeoutMillis: TIMEOUT_MILLIS };
    const { brokerAddrTable } = await client.getBrokerClusterInfo(address, options);
    const held = [...(brokerAddrTable.get(brokerName)?.brokerAddrs ?? [])];
    const ours = held.filter(([, holder]) => holder === brokerAddr);
    for (const [id] of ours)
      await client.unregisterBroker(address, { ...brokerIdentity(identity), brokerId: id }, options);
    if (ours.length > 0) return { address, outcome: 'unregistered', remark: '' };
    const [, other] = held.find(([id]) => Number(id) === brokerId) ?? [];
    const remark = other === undefined ? '' : `another node has its name and id: ${other}`;
    return { address, outcome: 'was not there', remark };
  } catch (error) {
    return { address, outcome: 'failed', remark: nameServerProblem(error) ?? '' };
  }
}

/** `unregister`: 0 when no name server has the node any more, else 1, with a line for each. */
export async function takeOutOfAll(
  nameServers: NameServerSource,
  { identity, namesrvTls: tls }: Pick<AgentConfig, 'identity' | 'namesrvTls'>,
  credentials?: FileCredentials,
): Promise<Exit> {
  await nameServers.start(() => {});
  nameServers.close();
  const { current, name, problem } = nameServers;
  if (current === undefined)
    return new Exit(ExitCode.FAILED, `rmq-agent: no name servers are known from ${name}: ${problem}`);
  await credentials?.start(() => {});
  credentials?.close();
  const client = new NameServerClient({ remotingClientOptions: { tls } });
  if (credentials !== undefined) client.remotingClient.registerRpcHook(credentials);
  const taken = await takeOut(client, current, identity);
  await client.close();
  const failed = taken.filter(({ outcome }) => outcome === 'failed').length;
  const { brokerName, brokerAddr } = identity;
  const lines = [
    `${brokerName} at ${brokerAddr} is out of ${taken.length - failed} of ${taken.length} name servers`,
    '',
    ...table([
      ['name server', 'outcome', ''],
      ...taken.map(({ address, outcome, remark }) => [address, outcome, remark]),
    ]),
    ...(problem === undefined ? [] : [`not all name servers are known: ${problem}`]),
    '',
    'an agent that still runs for it registers it again; stop it first',
  ];
  return new Exit(failed === 0 && problem === undefined ? ExitCode.OK : ExitCode.FAILED, lines.join('\n'), {
    asked: true,
  });
}
