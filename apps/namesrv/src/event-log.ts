import type { NamesrvEvent } from '@rmqns/namesrv';
import type { QueueData } from '@rmqns/protocol';
import type { Logger } from '@rmqns/remoting';

type TopicEvent = Extract<NamesrvEvent, { readonly topic: string }>;
type Level = 'debug' | 'info' | 'warn';

/** Topics of one operation that get their lines at info. A registration may bring 100,000. */
const MAX_TOPICS = 100;

/** Topic events in a row that one operation on one broker group caused. */
interface TopicRun {
  readonly cause: string;
  readonly cluster: string;
  readonly broker: string;
  topics: number;
}

export interface EventLogOptions {
  /** Whether debug lines are wanted: then every topic has its lines. Default: never. */
  readonly isDebug?: (() => boolean) | undefined;
  /** Runs a function once the operation at hand is over. Default: as a microtask. */
  readonly afterOperation?: ((run: () => void) => void) | undefined;
}

/**
 * Writes changes of the tables as log lines, in the words that operators of Apache's name server grep for
 * (reference: nameserver 6.5), with the event's fields beside them. One event is one or more lines; of an operation that changes very many
 * topics the first hundred are told and the others counted.
 */
export class EventLog {
  readonly #logger: Logger;
  readonly #isDebug: () => boolean;
  readonly #afterOperation: (run: () => void) => void;
  #run: TopicRun | undefined;

  constructor(logger: Logger, options: EventLogOptions = {}) {
    this.#logger = logger;
    this.#isDebug = options.isDebug ?? (() => false);
    this.#afterOperation = options.afterOperation ?? queueMicrotask;
  }

  write(event: NamesrvEvent): void {
    if (!isTopicEvent(event)) {
      this.#endRun();
      this.#writeLines(event);
      return;
    }
    const run = this.#runOf(event);
    run.topics += 1;
    if (run.topics <= MAX_TOPICS) this.#writeLines(event);
    else if (this.#isDebug()) this.#writeLines(event, 'debug');
  }

  #runOf({ cause, cluster, broker }: TopicEvent): TopicRun {
    const run = this.#run;
    if (run?.cause === cause && run.cluster === cluster && run.broker === broker) return run;
    this.#endRun();
    this.#run = { cause, cluster, broker, topics: 0 };
    this.#afterOperation(() => this.#endRun());
    return this.#run;
  }

  #endRun(): void {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined || run.topics <= MAX_TOPICS) return;
    const { topics, ...fields } = run;
    const more = topics - MAX_TOPICS;
    this.#logger.info({ ...fields, topics, more }, `... and ${more} more topics; log level debug tells them all`);
  }

  #writeLines(event: NamesrvEvent, atLevel?: Level): void {
    const fields = logFields(event);
    for (const [level, message] of describeNamesrvEvent(event)) this.#logger[atLevel ?? level](fields, message);
  }
}

function isTopicEvent(event: NamesrvEvent): event is TopicEvent {
  return 'topic' in event;
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
    case 'min-broker-id.changed':
      return [
        [
          'info',
          `min broker id changed, ${event.broker} of cluster ${event.cluster}: ${event.minBrokerId} at ${event.minBrokerAddr}, members to tell: ${event.recipients.join(' ')}`,
        ],
      ];
    case 'config.changed':
      return [
        [
          'info',
          `option ${event.key} changed${event.cause === 'update-config' ? ' by request' : ''}, OLD: ${event.before ?? 'null'} NEW: ${event.after}`,
        ],
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
