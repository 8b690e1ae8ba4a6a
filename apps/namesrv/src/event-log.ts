import type { NamesrvEvent } from '@rmqns/namesrv';
import type { QueueData } from '@rmqns/protocol';
import type { Logger } from '@rmqns/remoting';

type Level = 'debug' | 'info' | 'warn';

/**
 * Writes changes of the tables as log lines, in the words that operators of Apache's name server grep for
 * (reference: nameserver 6.5), with the event's fields beside them. One event is one or more lines.
 */
export function logNamesrvEvent(logger: Logger, event: NamesrvEvent): void {
  const lines = describeNamesrvEvent(event);
  const fields = logFields(event);
  for (const [level, message] of lines) logger[level](fields, message);
}

function logFields(event: NamesrvEvent): object {
  const { type, before, after, ...fields } = { before: undefined, after: undefined, ...event };
  return { event: type, ...fields };
}

/** The lines of one event. */
export function describeNamesrvEvent(event: NamesrvEvent): readonly (readonly [Level, string])[] {
  switch (event.type) {
    case 'broker.registered':
      return [['info', `new broker registered, ${event.addr} HAServer: ${event.after.haServerAddr ?? 'null'}`]];
    case 'broker.updated':
      return [['debug', `broker registered again, ${event.addr} HAServer: ${event.after.haServerAddr ?? 'null'}`]];
    case 'broker.unregistered': {
      const result = event.known ? 'OK' : 'Failed';
      return [
        ['info', `unregisterBroker, remove from brokerLiveTable ${result}, ${event.addr}`],
        ['info', `unregisterBroker, remove addr from brokerAddrTable ${result}, ${event.addr}`],
      ];
    }
    case 'broker.expired':
      return [
        ['warn', `The broker channel expired, ${event.addr} ${event.before.heartbeatTimeoutMillis}ms`],
        ['info', removedAddress(event.brokerId, event.addr)],
      ];
    case 'broker.channel-closed':
      return [
        ['info', `the broker's channel destroyed, ${event.addr}, clean it's data structure at once`],
        ['info', removedAddress(event.brokerId, event.addr)],
      ];
    case 'broker.conflict':
      return [
        [
          'warn',
          `broker conflict, ${event.kind}: ${event.broker}[${event.brokerId}] of cluster ${event.cluster} at ${event.addr}, ` +
            `held by ${event.before.addr ?? 'another address'} of cluster ${event.before.cluster}`,
        ],
      ];
    case 'broker-name.removed':
      return event.cause === 'unregister'
        ? [
            ['info', `unregisterBroker, remove name from brokerAddrTable OK, ${event.broker}`],
            ['info', `unregisterBroker, remove name from clusterAddrTable OK, ${event.broker}`],
          ]
        : [
            ['info', `remove brokerName[${event.broker}] from brokerAddrTable, because channel destroyed`],
            [
              'info',
              `remove brokerName[${event.broker}], clusterName[${event.cluster}] from clusterAddrTable, because channel destroyed`,
            ],
          ];
    case 'cluster.added':
      return [['info', `new cluster registered, ${event.cluster}`]];
    case 'cluster.removed':
      return [
        [
          'info',
          event.cause === 'unregister'
            ? `unregisterBroker, remove cluster from clusterAddrTable ${event.cluster}`
            : `remove the clusterName[${event.cluster}] from clusterAddrTable, because channel destroyed and no broker in this cluster`,
        ],
      ];
    case 'topic.added':
      return [['info', `new topic registered, ${event.topic} ${describeQueue(event.after)}`]];
    case 'topic.changed':
      if (event.after === undefined) return removedTopic(event, event.before);
      if (event.before === undefined)
        return [['info', `new topic registered, ${event.topic} ${describeQueue(event.after)}`]];
      return [['info', changedTopic('topic changed', event)]];
    case 'perm.changed':
      return [['info', changedTopic('topic permission changed', event)]];
    case 'topic.removed':
      return [...removedTopic(event, event.before), ['info', removedAllQueues(event)]];
    case 'mapping.changed':
      return [
        ['info', `topic queue mapping changed, ${event.topic} on broker ${event.broker}, epoch ${event.after.epoch}`],
      ];
    case 'kv.changed': {
      const what = event.after === undefined ? 'deleted' : event.before === undefined ? 'created' : 'updated';
      return [['info', `KV config item ${what}, Namespace: ${event.namespace} Key: ${event.key}`]];
    }
  }
}

interface TopicOfEvent {
  readonly cause: string;
  readonly topic: string;
  readonly before?: QueueData | undefined;
  readonly after?: QueueData | undefined;
}

function removedAddress(brokerId: number | bigint, addr: string): string {
  return `remove brokerAddr[${brokerId}, ${addr}] from brokerAddrTable, because channel destroyed`;
}

function changedTopic(what: string, { topic, before, after }: TopicOfEvent): string {
  return `${what}, ${topic} OLD: ${describeQueue(before)} NEW: ${describeQueue(after)}`;
}

function removedTopic({ cause, topic }: TopicOfEvent, before: QueueData | undefined): [Level, string][] {
  const queue = describeQueue(before);
  if (isConnectionLoss(cause))
    return [['info', `remove topic[${topic} ${queue}], from topicQueueTable, because channel destroyed`]];
  return [['info', `removeTopicByBrokerName, remove one broker's topic ${topic} ${queue}`]];
}

function removedAllQueues({ cause, topic }: TopicOfEvent): string {
  if (isConnectionLoss(cause))
    return `remove topic[${topic}] all queue, from topicQueueTable, because channel destroyed`;
  return `removeTopicByBrokerName, remove the topic all queue ${topic}`;
}

function isConnectionLoss(cause: string): boolean {
  return cause === 'expired' || cause === 'channel-closed';
}

/** As Java's `QueueData.toString`. */
function describeQueue(queue: QueueData | undefined): string {
  if (queue === undefined) return 'null';
  const { brokerName, readQueueNums, writeQueueNums, perm, topicSysFlag } = queue;
  return (
    `QueueData [brokerName=${brokerName}, readQueueNums=${readQueueNums}, writeQueueNums=${writeQueueNums}, ` +
    `perm=${perm}, topicSysFlag=${topicSysFlag}]`
  );
}
