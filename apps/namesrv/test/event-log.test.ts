import type { NamesrvEvent } from '@rmqns/namesrv';
import { expect } from 'chai';
import { describeNamesrvEvent, logNamesrvEvent } from '../src/event-log.js';

const group = { cluster: 'C', broker: 'a' };
const member = { ...group, brokerId: 0, addr: '10.0.0.1:10911' };
const state = {
  brokerId: 0,
  dataVersion: { timestamp: 1, counter: 1, stateVersion: 0 },
  haServerAddr: '10.0.0.1:10912',
  heartbeatTimeoutMillis: 120_000,
  filterServers: [],
  zoneName: undefined,
  enableActingMaster: false,
};
const queue = { brokerName: 'a', readQueueNums: 4, writeQueueNums: 8, perm: 6, topicSysFlag: 0 };
const shown = 'QueueData [brokerName=a, readQueueNums=4, writeQueueNums=8, perm=6, topicSysFlag=0]';
const shownReadOnly = 'QueueData [brokerName=a, readQueueNums=4, writeQueueNums=8, perm=4, topicSysFlag=0]';

type Change = NamesrvEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'revision'> : never) : never;

const mapping = {
  topic: 'T',
  scope: '__global__',
  totalQueues: 4,
  bname: 'a',
  epoch: 7,
  dirty: false,
  currIdMap: new Map([[0, 1]]),
};

const table: readonly (readonly [Change, ...string[]])[] = [
  [
    { type: 'mapping.changed', cause: 'register', ...group, topic: 'T', after: mapping },
    'info topic queue mapping changed, T on broker a, epoch 7',
  ],
  [
    { type: 'broker.registered', cause: 'register', ...member, after: state },
    'info new broker registered, 10.0.0.1:10911 HAServer: 10.0.0.1:10912',
  ],
  [
    { type: 'broker.unregistered', cause: 'unregister', ...member, known: false },
    'info unregisterBroker, remove from brokerLiveTable Failed, 10.0.0.1:10911',
    'info unregisterBroker, remove addr from brokerAddrTable Failed, 10.0.0.1:10911',
  ],
  [
    { type: 'broker.expired', cause: 'expired', ...member, before: state },
    'warn The broker channel expired, 10.0.0.1:10911 120000ms',
    'info remove brokerAddr[0, 10.0.0.1:10911] from brokerAddrTable, because channel destroyed',
  ],
  [
    { type: 'broker.channel-closed', cause: 'channel-closed', ...member, before: state },
    "info the broker's channel destroyed, 10.0.0.1:10911, clean it's data structure at once",
    'info remove brokerAddr[0, 10.0.0.1:10911] from brokerAddrTable, because channel destroyed',
  ],
  [
    { type: 'broker-name.removed', cause: 'channel-closed', ...group },
    'info remove brokerName[a] from brokerAddrTable, because channel destroyed',
    'info remove brokerName[a], clusterName[C] from clusterAddrTable, because channel destroyed',
  ],
  [
    { type: 'broker-name.removed', cause: 'unregister', ...group },
    'info unregisterBroker, remove name from brokerAddrTable OK, a',
    'info unregisterBroker, remove name from clusterAddrTable OK, a',
  ],
  [
    { type: 'cluster.removed', cause: 'expired', cluster: 'C' },
    'info remove the clusterName[C] from clusterAddrTable, because channel destroyed and no broker in this cluster',
  ],
  [
    { type: 'cluster.removed', cause: 'unregister', cluster: 'C' },
    'info unregisterBroker, remove cluster from clusterAddrTable C',
  ],
  [
    { type: 'topic.added', cause: 'register', ...group, topic: 'T', after: queue },
    `info new topic registered, T ${shown}`,
  ],
  [
    { type: 'topic.changed', cause: 'register', ...group, topic: 'T', before: queue, after: { ...queue, perm: 4 } },
    `info topic changed, T OLD: ${shown} NEW: ${shownReadOnly}`,
  ],
  [
    { type: 'topic.changed', cause: 'unregister', ...group, topic: 'T', before: queue },
    `info removeTopicByBrokerName, remove one broker's topic T ${shown}`,
  ],
  [
    { type: 'topic.removed', cause: 'unregister', ...group, topic: 'T', before: queue },
    `info removeTopicByBrokerName, remove one broker's topic T ${shown}`,
    'info removeTopicByBrokerName, remove the topic all queue T',
  ],
  [
    { type: 'topic.removed', cause: 'expired', ...group, topic: 'T', before: queue },
    `info remove topic[T ${shown}], from topicQueueTable, because channel destroyed`,
    'info remove topic[T] all queue, from topicQueueTable, because channel destroyed',
  ],
  [
    { type: 'kv.changed', cause: 'put-kv', namespace: 'N', key: 'k', after: 'v' },
    'info KV config item created, Namespace: N Key: k',
  ],
];

describe('describeNamesrvEvent', () => {
  for (const [change, ...lines] of table)
    it(`says ${change.type} (${change.cause}) in Apache's words`, () => {
      const described = describeNamesrvEvent({ ...change, revision: 1 } as NamesrvEvent);
      expect(described.map((line) => line.join(' '))).to.deep.equal(lines);
    });
});

describe('logNamesrvEvent', () => {
  it('puts the fields of the event beside the words', () => {
    const logged: unknown[] = [];
    const log = (fields: object) => void logged.push(fields);
    const logger = { debug: log, info: log, warn: log, error: log };
    logNamesrvEvent(logger, { type: 'broker.registered', cause: 'register', ...member, after: state, revision: 7 });
    expect(logged).to.deep.equal([
      {
        event: 'broker.registered',
        cluster: 'C',
        broker: 'a',
        brokerId: 0,
        addr: '10.0.0.1:10911',
        cause: 'register',
        revision: 7,
      },
    ]);
  });
});
