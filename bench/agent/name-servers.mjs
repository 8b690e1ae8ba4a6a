import { fileURLToPath } from 'node:url';
import { startChild } from '../harness/pinned-child.mjs';

const module = fileURLToPath(new URL('name-server-process.mjs', import.meta.url));

/** Starts a name server in a process of its own. */
export async function startNameServer(port = 0) {
  const child = startChild({ module, args: [String(port)], name: 'a name server' });
  const { address } = await child.ask('listen');
  return { ...child, address };
}

/** So many topics, each with eight queues, as a broker registers them. */
export function topicTable(count) {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const topicName = `Topic-${String(index).padStart(5, '0')}`;
      const queues = { readQueueNums: 8, writeQueueNums: 8, perm: 6 };
      return [topicName, { topicName, ...queues, topicFilterType: 'SINGLE_TAG', topicSysFlag: 0, order: false }];
    }),
  );
}

/** A topic source of a registrar whose version moves on when it is told to. */
export function topicSource(topicConfigTable) {
  let counter = 1;
  return {
    change: () => (counter += 1),
    current: () => ({
      dataVersion: { stateVersion: 0, timestamp: 1_700_000_000_000 + counter, counter },
      topicConfigTable,
      topicQueueMappingInfoMap: new Map(),
    }),
  };
}

/** The identity of one node of many. */
export function identityOf(index) {
  const brokerAddr = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}:10911`;
  return { clusterName: 'Bench', brokerName: `node-${index}`, brokerId: 0, brokerAddr, haServerAddr: brokerAddr };
}
