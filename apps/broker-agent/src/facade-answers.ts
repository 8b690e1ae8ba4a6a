import { MqVersion, versionName } from '@rmqns/protocol';
import { parseSocketAddress } from '@rmqns/remoting';
import type { AgentStatus } from './agent-status.js';

/** As which a facade shows the node: what the agent's registrations are those of. */
export const FACADE_VERSION = MqVersion.V4_9_7;

const ZEROS = [
  ...['send', 'pull', 'ack'].flatMap((pool) => [
    `${pool}ThreadPoolQueueSize`,
    `${pool}ThreadPoolQueueHeadWaitTimeMills`,
  ]),
  'pageCacheLockTimeMills',
  'commitLogDiskRatio',
  ...['timerReadBehind', 'timerOffsetBehind', 'timerCongestNum', 'timerEnqueueTps', 'timerDequeueTps'],
  ...['Put', 'Get'].flatMap((what) =>
    ['YesterdayMorning', 'TodayMorning', 'TodayNow'].map((when) => `msg${what}Total${when}`),
  ),
];

/** Of the last 10 s, 1 min and 10 min. */
const NO_RATES = '0.00 0.00 0.00';

/**
 * What 28 tells of a store that nobody asked: all that `mqadmin` of every version and the dashboard read, with zeros for what is not known
 * (reference: storage-node 10). All values are text.
 */
export function runtimeInfo({ health }: AgentStatus, bootMillis: number): Map<string, string> {
  return new Map([
    ...ZEROS.map((key) => [key, '0'] as const),
    ...['putTps', 'getTransferedTps', 'getTransferredTps', 'getTotalTps'].map((key) => [key, NO_RATES] as const),
    ['brokerVersionDesc', versionName(FACADE_VERSION)],
    ['brokerVersion', String(FACADE_VERSION)],
    ['bootTimestamp', String(bootMillis)],
    ['brokerActive', String(health === 'passing')],
    ['earliestMessageTimeStamp', '-1'],
  ]);
}

/** What 26 tells: the identity that is registered, and the name servers, as properties. */
export function brokerConfigText({ identity, nameServers }: AgentStatus): string {
  const { brokerName, clusterName, brokerId, brokerAddr, brokerPermission } = identity;
  const { host, port } = parseSocketAddress(brokerAddr);
  const properties = {
    brokerName,
    brokerClusterName: clusterName,
    brokerId,
    brokerIP1: host,
    listenPort: port,
    namesrvAddr: nameServers.servers.map(({ address }) => address).join(';'),
    brokerPermission,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${escapeValue(String(value))}\n`)
    .join('');
}

/** As Java reads it: a backslash and line ends are escaped, and a blank at the beginning. */
function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replace(/^ /, '\\ ');
}
