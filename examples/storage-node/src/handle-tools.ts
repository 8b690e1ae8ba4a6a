import { encodeKvTable, MqVersion, versionName } from '@rmqns/protocol';
import type { RemotingServer } from '@rmqns/remoting';
import { GetBrokerRuntimeInfo } from './commands.js';
import type { NodeState } from './node-state.js';

/** What this node says it is, so that every client treats it alike. */
export const VERSION = MqVersion.V5_3_3;

/** What does not happen here: nothing waits in a node that answers at once, and nothing is remembered of midnights. */
const ZEROS = [
  ...['send', 'pull', 'ack'].flatMap((pool) => [
    `${pool}ThreadPoolQueueSize`,
    `${pool}ThreadPoolQueueHeadWaitTimeMills`,
  ]),
  'pageCacheLockTimeMills',
  ...['timerReadBehind', 'timerOffsetBehind', 'timerCongestNum', 'timerEnqueueTps', 'timerDequeueTps'],
  ...[
    'msgPutTotalYesterdayMorning',
    'msgPutTotalTodayMorning',
    'msgGetTotalYesterdayMorning',
    'msgGetTotalTodayMorning',
  ],
];

/** What the admin tool and dashboards ask of a broker: 28 (reference: storage-node 10). */
export function handleTools(server: RemotingServer, node: NodeState): void {
  server.handle(GetBrokerRuntimeInfo, () => ({ body: encodeKvTable(runtimeInfo(node)) }));
}

/** The least with which `clusterList` of every release prints one clean line, and dashboards show the cluster. */
function runtimeInfo({ store, pulledCount, bootTimestamp, clock }: NodeState): Map<string, string> {
  const seconds = Math.max(1, (clock.now() - bootTimestamp) / 1000);
  // A broker gives its rates of the last 10 s, 1 min and 10 min; here there is one, since the start.
  const rates = (count: number): string => new Array(3).fill((count / seconds).toFixed(2)).join(' ');
  return new Map([
    ...ZEROS.map((key) => [key, '0'] as const),
    ['brokerVersionDesc', versionName(VERSION)],
    ['brokerVersion', String(VERSION)],
    ['bootTimestamp', String(bootTimestamp)],
    ['brokerActive', 'true'],
    ['putTps', rates(store.messageCount)],
    ['getTransferedTps', rates(pulledCount)],
    ['getTransferredTps', rates(pulledCount)],
    ['getTotalTps', rates(pulledCount)],
    ['earliestMessageTimeStamp', String(store.earliestStoreTimestamp ?? -1)],
    ['commitLogDiskRatio', store.usedRatio.toFixed(4)],
    ['msgPutTotalTodayNow', String(store.messageCount)],
    ['msgGetTotalTodayNow', String(pulledCount)],
  ]);
}
