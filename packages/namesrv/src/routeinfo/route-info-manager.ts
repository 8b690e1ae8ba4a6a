import { type ClusterInfo, type DataVersion, PermName, type QueueData, type TopicRouteData } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { EventRecorder } from '../event-recorder.js';
import type { ChangeCause } from '../namesrv-event.js';
import type { Profile } from '../profile.js';
import { allAtOnce, type Steps } from '../sliced-work.js';
import { withActingMasters } from './acting-master.js';
import type { BrokerConnection, BrokerLiveInfo } from './broker-live-table.js';
import { type KeptBody, keptBody, type RegisteringBroker } from './kept-body.js';
import { pickupTopicRouteData } from './pickup-topic-route-data.js';
import {
  type BrokerRegistration,
  type RegisterBrokerResult,
  type RegistrationRules,
  registerBroker,
} from './register-broker.js';
import { removeBroker } from './remove-broker.js';
import { renewRegistration, type UnchangedRegistration } from './renew-registration.js';
import type { RouteCache } from './route-cache.js';
import { type LargeGroups, RouteTables } from './route-tables.js';
import { sameVersion } from './same-version.js';
import { scanStallMillis } from './scan-stall.js';
import {
  hasUnitSubTopics,
  hasUnitSubUnUnitTopics,
  type SystemTopicList,
  systemTopicList,
  topicsByCluster,
  unitTopics,
} from './topic-lists.js';

export interface RouteInfoManagerOptions {
  readonly profile: Profile;
  /** Silence after which a broker that named no time of its own is dropped; default 120 000. */
  readonly defaultHeartbeatTimeoutMillis?: number | undefined;
  /** Asked at each registration: whether what a broker no longer registers goes (5.x); default no. */
  readonly deleteTopicWithBrokerRegistration?: (() => boolean) | undefined;
  /** How often {@link RouteInfoManager.scanNotActiveBroker} is to be called; default that of the profile. */
  readonly scanPeriodMillis?: number | undefined;
  /** Which groups leave their topics behind for {@link RouteInfoManager.sweepInSteps}; by default none does. */
  readonly largeGroups?: LargeGroups | undefined;
  /** Shared with others that change what the name server holds, so that revisions are common. */
  readonly events: EventRecorder;
}

/** Names one registration, as codes 104, 322 and 904 do. */
export interface BrokerIdentity {
  /** 4.x knows live brokers by address alone; absent, any cluster will do in every profile. */
  readonly clusterName?: string | undefined;
  readonly brokerAddr: string;
}

export interface UnregisterBrokerRequest extends BrokerIdentity {
  readonly brokerName: string;
  readonly brokerId: Long;
}

export interface DataVersionResult {
  readonly changed: boolean;
  /** The version held here; absent for an unknown broker. */
  readonly dataVersion?: DataVersion | undefined;
}

/**
 * What the name server knows: which brokers live, and which topics they have (upstream: `RouteInfoManager`; reference: nameserver 3).
 *
 * Pure: no timer, no socket. Every method runs to its end at once and is told the time, in milliseconds of one monotonic clock. Events
 * come after the method's work is complete.
 */
export class RouteInfoManager {
  readonly #tables: RouteTables;
  readonly #defaultHeartbeatTimeoutMillis: number;
  readonly #deleteTopicWithBrokerRegistration: () => boolean;
  readonly #scanPeriodMillis: number;
  #lastScanMillis: number | undefined;

  constructor(options: RouteInfoManagerOptions) {
    this.#tables = new RouteTables(options.profile, options.events, options.largeGroups);
    this.#defaultHeartbeatTimeoutMillis = options.defaultHeartbeatTimeoutMillis ?? 120_000;
    this.#deleteTopicWithBrokerRegistration = options.deleteTopicWithBrokerRegistration ?? (() => false);
    this.#scanPeriodMillis = options.scanPeriodMillis ?? options.profile.scanPeriodMillis;
  }

  /** The tables, to read; what changes them is a method of this class. */
  get tables(): RouteTables {
    return this.#tables;
  }

  /** Encoded routes, dropped as the tables change. */
  get routeCache(): RouteCache {
    return this.#tables.routeCache;
  }

  /**
   * What is kept of a broker's last body, with which to compare the next; see `keptBody`. Nothing with
   * `deleteTopicWithBrokerRegistration`, for which every topic counts.
   */
  keptBody(broker: RegisteringBroker): KeptBody | undefined {
    return this.#deleteTopicWithBrokerRegistration() ? undefined : keptBody(this.#tables, broker);
  }

  /** Code 103. Refused registrations change nothing. */
  registerBroker(registration: BrokerRegistration, nowMillis: number): RegisterBrokerResult {
    return this.#tables.events.run(() => allAtOnce(this.#register(registration, nowMillis)));
  }

  /** {@link registerBroker} in steps, between which the tables may be read and changed: each topic is there as it was or as it will be. */
  registerBrokerInSteps(registration: BrokerRegistration, nowMillis: number): Steps<RegisterBrokerResult> {
    return this.#inSteps(this.#register(registration, nowMillis));
  }

  /** {@link registerBroker} where both body and header are those of {@link keptBody}; `undefined` where they are not, and nothing was done. */
  renewRegistration(
    registration: UnchangedRegistration,
    kept: KeptBody,
    nowMillis: number,
  ): RegisterBrokerResult | undefined {
    return this.#tables.events.run(() =>
      renewRegistration(this.#tables, registration, kept, nowMillis, this.#registrationRules()),
    );
  }

  #register(registration: BrokerRegistration, nowMillis: number): Steps<RegisterBrokerResult> {
    return registerBroker(this.#tables, registration, nowMillis, this.#registrationRules());
  }

  #registrationRules(): RegistrationRules {
    return {
      defaultHeartbeatTimeoutMillis: this.#defaultHeartbeatTimeoutMillis,
      deleteTopicWithBrokerRegistration: this.#deleteTopicWithBrokerRegistration(),
    };
  }

  /**
   * Code 104: removes a broker by its address within the group it names, whatever the id, and never another broker's address
   * (reference: nameserver 9). With a cluster in which it is not registered, the address decides, as in Apache. Returns whether it was known.
   */
  unregisterBroker(request: UnregisterBrokerRequest): boolean {
    return this.#tables.events.run(() => {
      const live = this.#registered(request);
      if (live !== undefined) {
        removeBroker(this.#tables, live, 'unregister');
        return true;
      }
      this.#tables.events.record({
        type: 'broker.unregistered',
        cause: 'unregister',
        cluster: request.clusterName ?? '',
        broker: request.brokerName,
        brokerId: request.brokerId,
        addr: request.brokerAddr,
        known: false,
      });
      return false;
    });
  }

  /**
   * Removes what groups left behind that went with many topics. Until then these topics are in the lists of topics; the groups and their
   * queues are shown nowhere.
   */
  sweepInSteps(): Steps<void> {
    return this.#inSteps(this.#tables.sweep());
  }

  /** {@link sweepInSteps} for one group: whoever brings it back does the rest of its leaving before, at once if not by this. */
  endLeavingInSteps(brokerName: string): Steps<void> {
    return this.#inSteps(this.#tables.endLeaving(brokerName));
  }

  /** Each step is one change, whose events come at its end. */
  *#inSteps<Result>(steps: Steps<Result>): Steps<Result> {
    for (;;) {
      const { done, value } = this.#tables.events.run(() => steps.next());
      if (done === true) return value;
      yield value;
    }
  }

  /**
   * Every broker goes that registered on this connection and was heard on no other that is open (Apache removes one of them, and also
   * one that was heard elsewhere). That a broker was merely heard on it is no reason to remove it. Returns how many went.
   */
  onChannelDestroy(connection: BrokerConnection): number {
    return this.#tables.events.run(() => {
      const gone = this.#tables.closeConnection(connection);
      for (const live of gone) removeBroker(this.#tables, live, 'channel-closed');
      return gone.length;
    });
  }

  /**
   * Removes every broker that was silent for longer than it may; at exactly its limit one stays. Returns what was removed: its
   * connections are to be closed, unless they carry another broker still ({@link BrokerLiveTable.over}).
   *
   * A scan that comes late because this process stood still gives every broker the time that was lost.
   */
  scanNotActiveBroker(nowMillis: number): BrokerLiveInfo[] {
    const { brokerLiveTable, events } = this.#tables;
    return events.run(() => {
      const stallMillis = scanStallMillis(this.#lastScanMillis, nowMillis, this.#scanPeriodMillis);
      this.#lastScanMillis = nowMillis;
      if (stallMillis > 0) this.#tables.postponeAll(stallMillis, nowMillis);
      const expired: BrokerLiveInfo[] = [];
      for (const live of brokerLiveTable.values()) {
        if (live.lastUpdateMillis + live.heartbeatTimeoutMillis < nowMillis) expired.push(live);
      }
      for (const live of expired) removeBroker(this.#tables, live, 'expired');
      return expired;
    });
  }

  /**
   * Code 322: whether the broker's version differs from the one held here, or none is. A broker that is known is heard by this, in 4.x
   * only if its version is unchanged (reference: nameserver 2.13).
   *
   * @param dataVersion null when the request had none, which is a difference.
   */
  queryDataVersion(
    broker: BrokerIdentity,
    dataVersion: DataVersion | null,
    connection: BrokerConnection,
    nowMillis: number,
  ): DataVersionResult {
    const live = this.#tables.brokerLiveTable.newest(broker.clusterName, broker.brokerAddr);
    if (live === undefined) return { changed: true };
    const changed = dataVersion === null || !sameVersion(this.#tables.profile, live.dataVersion, dataVersion);
    if (this.#tables.profile.fiveX || !changed) this.#tables.hear(live, connection, nowMillis);
    return { changed, dataVersion: live.dataVersion };
  }

  /** Code 904: the broker is heard, if it is known; that is the result. It never makes an entry. */
  brokerHeartbeat(broker: BrokerIdentity, connection: BrokerConnection, nowMillis: number): boolean {
    const live = this.#tables.brokerLiveTable.newest(broker.clusterName, broker.brokerAddr);
    if (live === undefined) return false;
    this.#tables.hear(live, connection, nowMillis);
    return true;
  }

  /** Code 105, without order configuration; `undefined` becomes code 17. */
  pickupTopicRouteData(topic: string, show: { readonly actingMasters?: boolean } = {}): TopicRouteData | undefined {
    const route = pickupTopicRouteData(this.#tables, topic);
    return route !== undefined && show.actingMasters === true ? withActingMasters(topic, route) : route;
  }

  /** Code 106: both tables as they are. */
  getAllClusterInfo(): ClusterInfo {
    return {
      brokerAddrTable: new Map(this.#tables.brokerAddrTable.entries()),
      clusterAddrTable: new Map(this.#tables.clusterAddrTable.entries()),
    };
  }

  /** Code 206. */
  getAllTopicList(): string[] {
    return [...this.#tables.topicQueueTable.topics()];
  }

  /** Code 224. */
  getTopicsByCluster(clusterName: string): string[] {
    return topicsByCluster(this.#tables, clusterName);
  }

  /** Code 304. */
  getSystemTopicList(): SystemTopicList {
    return systemTopicList(this.#tables);
  }

  /** Code 311. */
  getUnitTopics(): string[] {
    return unitTopics(this.#tables);
  }

  /** Code 312. */
  getHasUnitSubTopicList(): string[] {
    return hasUnitSubTopics(this.#tables);
  }

  /** Code 313. */
  getHasUnitSubUnUnitTopicList(): string[] {
    return hasUnitSubUnUnitTopics(this.#tables);
  }

  /** Code 901: the addresses by id; empty for an unknown group. */
  getBrokerMemberGroup(brokerName: string): ReadonlyMap<Long, string> {
    return this.#tables.brokerAddrTable.get(brokerName)?.brokerAddrs ?? new Map();
  }

  /** Code 205: clears the write bit of every topic of the group. Returns the number of its topics, changed or not. */
  wipeWritePermOfBroker(brokerName: string): number {
    return this.#changePerms(brokerName, 'wipe-write-perm', (perm) => perm & ~PermName.WRITE);
  }

  /** Code 327: sets read and write, and nothing else, on every topic of the group. Returns the number of its topics, changed or not. */
  addWritePermOfBroker(brokerName: string): number {
    return this.#changePerms(brokerName, 'add-write-perm', () => PermName.READ | PermName.WRITE);
  }

  /** Code 216: forgets a topic, or its queues on the groups of one cluster. Returns whether anything was there to forget. */
  deleteTopic(topic: string, clusterName?: string): boolean {
    const { topicQueueTable, clusterAddrTable, brokerAddrTable, events } = this.#tables;
    return events.run(() => {
      const listed = clusterName ? (clusterAddrTable.brokerNamesOf(clusterName) ?? new Set()) : undefined;
      let found = false;
      for (const { brokerName } of topicQueueTable.queuesOf(topic)) {
        if (listed !== undefined && !listed.has(brokerName)) continue;
        const cluster = brokerAddrTable.group(brokerName)?.cluster ?? '';
        this.#tables.removeQueueData(topic, brokerName, cluster, 'delete-topic');
        found = true;
      }
      return found;
    });
  }

  /**
   * Code 217: puts a topic's queues in the order given, up to the first group that is unknown. Of a new topic none is put then. The data
   * versions of the brokers stay as they are.
   */
  registerTopic(topic: string, queueDatas: readonly QueueData[]): void {
    const { topicQueueTable, brokerAddrTable, events } = this.#tables;
    events.run(() => {
      const unknown = queueDatas.findIndex(({ brokerName }) => brokerAddrTable.get(brokerName) === undefined);
      if (unknown >= 0 && !topicQueueTable.has(topic)) return;
      for (const queueData of unknown < 0 ? queueDatas : queueDatas.slice(0, unknown)) {
        const cluster = brokerAddrTable.get(queueData.brokerName)?.cluster ?? '';
        this.#tables.putQueueData(topic, queueData, cluster, 'register-topic');
      }
    });
  }

  #changePerms(brokerName: string, cause: ChangeCause, change: (perm: number) => number): number {
    const { topicQueueTable, brokerAddrTable, events } = this.#tables;
    return events.run(() => {
      const topics = topicQueueTable.topicsOf(brokerName);
      const cluster = brokerAddrTable.group(brokerName)?.cluster ?? '';
      for (const topic of topics) {
        const queues = topicQueueTable.get(topic, brokerName);
        if (queues !== undefined) this.#tables.changePerm(topic, brokerName, change(queues.perm), cluster, cause);
      }
      return topics.length;
    });
  }

  /** The entry that an unregistration means: of this address and group, in the given cluster if there. */
  #registered({ clusterName, brokerAddr, brokerName }: UnregisterBrokerRequest): BrokerLiveInfo | undefined {
    const { brokerLiveTable } = this.#tables;
    const given = clusterName === undefined ? undefined : brokerLiveTable.get(clusterName, brokerAddr, brokerName);
    return given ?? brokerLiveTable.named(brokerAddr, brokerName);
  }
}
