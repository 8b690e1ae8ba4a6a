import type { NamesrvEvent } from '@rmqns/namesrv';
import { expect } from 'chai';
import { describeNamesrvEvent, EventLog } from '../src/event-log.js';

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

describe('EventLog', () => {
  let logged: [level: string, fields: object, message: string][];
  let looks: (() => void)[];
  const eventLog = (isDebug = false): EventLog => {
    const at = (level: string) => (fields: object, message: string) => void logged.push([level, fields, message]);
    const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    return new EventLog(logger, { isDebug: () => isDebug, nextTurn: (run) => looks.push(run) });
  };
  const turn = (): void => {
    for (const look of looks.splice(0)) look();
  };
  const operationsEnd = (): void => {
    while (looks.length > 0) turn();
  };
  /** One operation that brings topics. */
  const register = (log: EventLog, topics: number, broker = 'a'): void => {
    for (let i = 0; i < topics; i++)
      log.write({
        type: 'topic.added',
        cause: 'register',
        ...group,
        broker,
        topic: `T${i}`,
        after: queue,
        revision: i,
      });
  };
  const messages = (): string[] => logged.map(([level, , message]) => `${level} ${message.slice(0, 40)}`);
  beforeEach(() => {
    logged = [];
    looks = [];
  });

  it('puts the fields of the event beside the words', () => {
    eventLog().write({ type: 'broker.registered', cause: 'register', ...member, after: state, revision: 7 });
    expect(logged.map(([, fields]) => fields)).to.deep.equal([
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

  it('tells each of 100 topics of one registration', () => {
    register(eventLog(), 100);
    operationsEnd();
    expect(logged).to.have.length(100);
    expect(messages().at(-1)).to.equal('info new topic registered, T99 QueueData [bro');
  });

  it('tells the first 100 of 100,000 topics of one registration, and counts the others in one line', () => {
    register(eventLog(), 100_000);
    operationsEnd();
    expect(logged).to.have.length(101);
    expect(logged.at(-1)).to.deep.equal([
      'info',
      { cause: 'register', cluster: 'C', broker: 'a', topics: 100_000, more: 99_900 },
      '... and 99900 more topics; log level debug tells them all',
    ]);
  });

  it('does so for topics that go, which have two lines each', () => {
    const log = eventLog();
    for (let i = 0; i < 1_000; i++)
      log.write({ type: 'topic.removed', cause: 'unregister', ...group, topic: `T${i}`, before: queue, revision: i });
    operationsEnd();
    expect(logged).to.have.length(201);
    expect(logged.at(-1)?.[1]).to.include({ cause: 'unregister', more: 900 });
  });

  it('tells the others at debug when that is wanted', () => {
    register(eventLog(true), 102);
    operationsEnd();
    expect(messages().slice(100)).to.deep.equal([
      'debug new topic registered, T100 QueueData [br',
      'debug new topic registered, T101 QueueData [br',
      'info ... and 2 more topics; log level debug t',
    ]);
  });

  it('counts an operation as one that works in slices, also beside another one', () => {
    const log = eventLog();
    for (let slice = 0; slice < 200; slice++) {
      register(log, 500);
      register(log, 10, 'b');
      turn();
      // Others may take a turn of their own.
      if (slice % 3 === 0) turn();
    }
    operationsEnd();
    expect(logged).to.have.length(100 + 100 + 2);
    expect(logged.slice(-2).map(([, fields]) => fields)).to.have.deep.members([
      { cause: 'register', cluster: 'C', broker: 'a', topics: 100_000, more: 99_900 },
      { cause: 'register', cluster: 'C', broker: 'b', topics: 2_000, more: 1_900 },
    ]);
  });

  it('counts operations apart between which two turns brought nothing, and looks no more once all have ended', () => {
    const log = eventLog();
    register(log, 101);
    for (let i = 0; i < 3; i++) turn();
    expect([logged.length, looks.length]).to.deep.equal([101, 0]);
    register(log, 60);
    register(log, 101, 'b');
    operationsEnd();
    expect(logged).to.have.length(101 + 60 + 101);
  });

  it('looks once a turn, also when an operation follows one that its broker ended', () => {
    const log = eventLog();
    register(log, 1);
    log.write({ type: 'broker.unregistered', cause: 'unregister', ...member, known: true, revision: 301 });
    register(log, 1);
    expect(looks.length).to.equal(1);
  });

  it('says how many more they were before the broker that had them is told of again', () => {
    const log = eventLog();
    register(log, 101);
    log.write({ type: 'broker.registered', cause: 'register', ...member, broker: 'b', after: state, revision: 300 });
    expect(logged).to.have.length(101);
    log.write({ type: 'broker.unregistered', cause: 'unregister', ...member, known: true, revision: 301 });
    expect(messages().slice(-3)).to.deep.equal([
      'info ... and 1 more topics; log level debug t',
      'info unregisterBroker, remove from brokerLive',
      'info unregisterBroker, remove addr from broke',
    ]);
  });
});
