import { encodeKvTable, MASTER_ID, versionName } from '@rmqns/protocol';
import type { RemotingServer } from '@rmqns/remoting';
import { GetBrokerConfig, GetBrokerRuntimeInfo } from './commands.js';
import { formatInetHost } from './inet-host.js';
import type { NodeState } from './node-state.js';

/** What the admin tool and dashboards ask of a broker: 28 and 26 (reference: storage-node 10). */
export function handleTools(server: RemotingServer, node: NodeState, version: number): void {
  server.handle(GetBrokerRuntimeInfo, () => ({ body: encodeKvTable(runtimeInfo(node, version)) }));

  server.handle(GetBrokerConfig, () => ({
    header: { version: JSON.stringify({ counter: 0, timestamp: node.bootTimestamp }) },
    body: Buffer.from(brokerConfig(node)),
  }));
}

/** The least with which `clusterList` of every release prints one clean line, and dashboards show the cluster. */
function runtimeInfo(node: NodeState, version: number): Map<string, string> {
  const { store, pulledCount, bootTimestamp, clock } = node;
  const seconds = Math.max(1, (clock.now() - bootTimestamp) / 1000);
  const putTps = (store.messageCount / seconds).toFixed(2);
  const getTps = (pulledCount / seconds).toFixed(2);
  return new Map([
    ['brokerVersionDesc', versionName(version)],
    ['brokerVersion', String(version)],
    ['bootTimestamp', String(bootTimestamp)],
    ['brokerActive', 'true'],
    // A broker gives its rates of the last 10 s, 1 min and 10 min; here there is one, since the start.
    ['putTps', `${putTps} ${putTps} ${putTps}`],
    ['getTransferedTps', `${getTps} ${getTps} ${getTps}`],
    ['getTransferredTps', `${getTps} ${getTps} ${getTps}`],
    ['getTotalTps', `${getTps} ${getTps} ${getTps}`],
    // Nothing waits in a node that answers at once.
    ['sendThreadPoolQueueSize', '0'],
    ['sendThreadPoolQueueHeadWaitTimeMills', '0'],
    ['pullThreadPoolQueueSize', '0'],
    ['pullThreadPoolQueueHeadWaitTimeMills', '0'],
    ['ackThreadPoolQueueSize', '0'],
    ['ackThreadPoolQueueHeadWaitTimeMills', '0'],
    ['pageCacheLockTimeMills', '0'],
    ['earliestMessageTimeStamp', String(store.earliestStoreTimestamp ?? -1)],
    ['commitLogDiskRatio', store.usedRatio.toFixed(4)],
    ['timerReadBehind', '0'],
    ['timerOffsetBehind', '0'],
    ['timerCongestNum', '0'],
    ['timerEnqueueTps', '0.0'],
    ['timerDequeueTps', '0.0'],
    // Nothing is remembered of midnights: all since the start counts as today's.
    ['msgPutTotalYesterdayMorning', '0'],
    ['msgPutTotalTodayMorning', '0'],
    ['msgPutTotalTodayNow', String(store.messageCount)],
    ['msgGetTotalYesterdayMorning', '0'],
    ['msgGetTotalTodayMorning', '0'],
    ['msgGetTotalTodayNow', String(pulledCount)],
  ]);
}

/** Properties text; the name servers are the agent's business, so none are told. */
function brokerConfig({ brokerName, clusterName, storeHost }: NodeState): string {
  const address = formatInetHost(storeHost);
  const entries = {
    brokerName,
    brokerClusterName: clusterName,
    brokerId: MASTER_ID,
    listenPort: storeHost.port,
    brokerIP1: address.slice(0, address.lastIndexOf(':')),
    namesrvAddr: '',
    brokerPermission: 6,
  };
  return Object.entries(entries)
    .map((entry) => `${entry.join('=')}\n`)
    .join('');
}
