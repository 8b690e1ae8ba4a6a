import type { NamesrvEvent } from '@rmqns/namesrv';
import type { QueueData } from '@rmqns/protocol';
import type { Logger } from '@rmqns/remoting';

type TopicEvent = Extract<NamesrvEvent, { readonly topic: string }>;
type Level = 'debug' | 'info' | 'warn';

/** Topics of one operation that get their lines at info. A registration may bring 100,000. */
const MAX_TOPICS = 100;
/** Turns of the event loop without a topic after which an operation is over: a large one works in slices, and others have their turn between. */
const QUIET_TURNS = 2;

/** Topic events of one cause on one broker group in turns that follow each other: those of an operation. */
interface TopicRun {
  readonly cause: string;
  readonly cluster: string;
  readonly broker: string;
  topics: number;
  /** How many they were at the last look, and how many looks found no more. */
  seen: number;
  quietTurns: number;
}

export interface EventLogOptions {
  /** Whether debug lines are wanted: then every topic has its lines. Default: never. */
  readonly isDebug?: (() => boolean) | undefined;
  /** Runs a function in the next turn of the event loop. Default: `setImmediate`. */
  readonly nextTurn?: ((run: () => void) => void) | undefined;
}

/**
 * Writes changes of the tables as log lines, in the words that operators of Apache's name server grep for
 * (reference: nameserver 6.5), with the event's fields beside them. One event is one or more lines. Where one cause changes very many topics of a
 * broker group in turns of the event loop that follow each other, as a large registration does, the first hundred are told and the others counted, also
 * where several go on side by side.
 */
export class EventLog {
  readonly #logger: Logger;
  readonly #isDebug: () => boolean;
  readonly #nextTurn: (run: () => void) => void;
  /** What goes on, by broker group. */
  readonly #runs = new Map<string, TopicRun[]>();
  /** The one that had the last topic, if it goes on. */
  #last: TopicRun | undefined;
  /** One at a time: two would take one turn for two quiet ones. */
  #isLookDue = false;

  constructor(logger: Logger, options: EventLogOptions = {}) {
    this.#logger = logger;
    this.#isDebug = options.isDebug ?? (() => false);
    this.#nextTurn = options.nextTurn ?? setImmediate;
  }

  write(event: NamesrvEvent): void {
    if (isTopicEvent(event)) this.#writeTopic(event);
    else {
      if ('broker' in event) this.#endRuns(event.broker, () => true);
      this.#writeLines(event);
    }
  }

  #writeTopic(event: TopicEvent): void {
    if (this.#last === undefined || !isOfRun(event, this.#last)) this.#last = this.#runOf(event);
    const run = this.#last;
    run.topics += 1;
    if (run.topics <= MAX_TOPICS) this.#writeLines(event);
    else if (this.#isDebug()) this.#writeLines(event, 'debug');
  }

  #runOf(event: TopicEvent): TopicRun {
    this.#lookNextTurn();
    const { cause, cluster, broker } = event;
    const runs = this.#runs.get(broker) ?? [];
    let run = runs.find((other) => isOfRun(event, other));
    if (run === undefined) {
      run = { cause, cluster, broker, topics: 0, seen: 0, quietTurns: 0 };
      runs.push(run);
      this.#runs.set(broker, runs);
    }
    return run;
  }

  #lookNextTurn(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#nextTurn(() => this.#look());
  }

  /** Each turn while something goes on. */
  #look(): void {
    this.#isLookDue = false;
    for (const broker of this.#runs.keys()) {
      this.#endRuns(broker, (run) => {
        run.quietTurns = run.topics === run.seen ? run.quietTurns + 1 : 0;
        run.seen = run.topics;
        return run.quietTurns >= QUIET_TURNS;
      });
    }
    if (this.#runs.size > 0) this.#lookNextTurn();
  }

  #endRuns(brokerName: string, isOver: (run: TopicRun) => boolean): void {
    const left: TopicRun[] = [];
    for (const run of this.#runs.get(brokerName) ?? []) {
      if (isOver(run)) this.#end(run);
      else left.push(run);
    }
    if (left.length > 0) this.#runs.set(brokerName, left);
    else this.#runs.delete(brokerName);
  }

  #end(run: TopicRun): void {
    if (this.#last === run) this.#last = undefined;
    const { cause, cluster, broker, topics } = run;
    const more = topics - MAX_TOPICS;
    if (more <= 0) return;
    this.#logger.info(
      { cause, cluster, broker, topics, more },
      `... and ${more} more topics; log level debug tells them all`,
    );
  }

  #writeLines(event: NamesrvEvent, atLevel?: Level): void {
    const fields = logFields(event);
    for (const [level, message] of describeNamesrvEvent(event)) this.#logger[atLevel ?? level](fields, message);
  }
}

function isOfRun(event: TopicEvent, run: TopicRun): boolean {
  return event.broker === run.broker && event.cause === run.cause && event.cluster === run.cluster;
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
