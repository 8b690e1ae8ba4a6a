import { MASTER_ID, PermName, type QueueData, sameQueueData, type TopicQueueMappingInfo } from '@rmqns/protocol';
import type { Long } from '@rmqns/remoting/json';
import type { EventRecorder } from '../event-recorder.js';
import type { ChangeCause, TopicEvent } from '../namesrv-event.js';
import type { Profile } from '../profile.js';
import { allAtOnce, type Steps } from '../sliced-work.js';
import { BrokerAddrTable, type ReadableBrokerGroup } from './broker-addr-table.js';
import {
  type BrokerConnection,
  type BrokerLiveFields,
  type BrokerLiveInfo,
  BrokerLiveTable,
} from './broker-live-table.js';
import { ClusterAddrTable } from './cluster-addr-table.js';
import { FilterServerTable } from './filter-server-table.js';
import type { KeptBody } from './kept-body.js';
import { RouteCache } from './route-cache.js';
import { SharedSlices } from './shared-slices.js';
import { sameMapping, TopicQueueMappingInfoTable } from './topic-queue-mapping-info-table.js';
import { TopicQueueTable } from './topic-queue-table.js';

/** Topics that are removed in one step, which takes a millisecond. */
const STEP_TOPICS = 500;

/** What is done about groups with many topics. */
export interface LargeGroups {
  /** A group that leaves with more topics than this is removed by {@link RouteTables.sweep}. */
  readonly topics: number;
  /** Told that there is something to sweep. */
  readonly onLeft: () => void;
}

/** A member of a group as a registration gives it. */
export interface GroupMember {
  readonly clusterName: string;
  readonly brokerName: string;
  readonly brokerId: Long;
  readonly brokerAddr: string;
  /** 5.x. */
  readonly zoneName: string | undefined;
  /** 5.x. */
  readonly enableActingMaster: boolean;
}

/**
 * The tables of the name server, to read, and the steps of which every change is made, as methods: each keeps the kept answers true
 * and notes its event.
 *
 * What holds between operations: a member of a group is an address that brokerLiveTable has under the group's name; a group has a
 * member and is listed by a cluster; a topic has queues, each on a group that exists.
 */
export class RouteTables {
  readonly #topicQueueTable = new TopicQueueTable();
  readonly #brokerAddrTable = new BrokerAddrTable();
  readonly #clusterAddrTable = new ClusterAddrTable();
  readonly #brokerLiveTable: BrokerLiveTable;
  readonly #filterServerTable: FilterServerTable;
  readonly #topicQueueMappingInfoTable = new TopicQueueMappingInfoTable();
  readonly #sharedSlices = new SharedSlices();
  readonly routeCache = new RouteCache();
  readonly profile: Profile;
  readonly events: EventRecorder;
  readonly #largeGroups: LargeGroups | undefined;
  /** Groups that have left, and whose topics are still to be removed. */
  readonly #left = new Map<string, { readonly cluster: string; readonly cause: ChangeCause }>();
  #incarnation = 0;
  #groupsRevision = 0;
  #topicsRevision = 0;

  constructor(profile: Profile, events: EventRecorder, largeGroups?: LargeGroups) {
    this.profile = profile;
    this.events = events;
    this.#largeGroups = largeGroups;
    this.#brokerLiveTable = new BrokerLiveTable(profile.fiveX);
    this.#filterServerTable = new FilterServerTable(profile.fiveX);
  }

  get topicQueueTable(): Omit<TopicQueueTable, 'put' | 'remove' | 'leave' | 'removeLeft'> {
    return this.#topicQueueTable;
  }

  get brokerAddrTable(): Omit<
    BrokerAddrTable,
    'putMember' | 'removeMember' | 'setFlags' | 'countTopicChange' | 'delete'
  > {
    return this.#brokerAddrTable;
  }

  get clusterAddrTable(): Omit<ClusterAddrTable, 'add' | 'remove'> {
    return this.#clusterAddrTable;
  }

  get brokerLiveTable(): Omit<
    BrokerLiveTable,
    'put' | 'renew' | 'hear' | 'postpone' | 'keepBody' | 'close' | 'delete'
  > {
    return this.#brokerLiveTable;
  }

  get filterServerTable(): Omit<FilterServerTable, 'put'> {
    return this.#filterServerTable;
  }

  get topicQueueMappingInfoTable(): Omit<TopicQueueMappingInfoTable, 'put'> {
    return this.#topicQueueMappingInfoTable;
  }

  /** The number of changes of groups, their members and the clusters that list them. */
  get groupsRevision(): number {
    return this.#groupsRevision;
  }

  /** The number of changes of topics and their queues. */
  get topicsRevision(): number {
    return this.#topicsRevision;
  }

  /** Puts a registration into brokerLiveTable. */
  putLive(fields: Omit<BrokerLiveFields, 'incarnation'>): BrokerLiveInfo {
    this.#incarnation += 1;
    return this.#brokerLiveTable.put({ ...fields, incarnation: this.#incarnation });
  }

  /** Whether an entry is in brokerLiveTable still: the broker has neither left nor registered again. */
  isCurrent({ clusterName, brokerAddr, brokerName, incarnation }: BrokerLiveInfo): boolean {
    return this.#brokerLiveTable.get(clusterName, brokerAddr, brokerName)?.incarnation === incarnation;
  }

  /** Keeps what a registration said, until the next of the same broker. */
  keepBody(live: BrokerLiveInfo, keptBody: KeptBody): void {
    const slices = keptBody.slices && this.#sharedSlices.share(keptBody.slices);
    this.#brokerLiveTable.keepBody(live, { ...keptBody, slices });
  }

  /** A broker was heard; that is no event. */
  hear(live: BrokerLiveInfo, connection: BrokerConnection, nowMillis: number): void {
    this.#brokerLiveTable.hear(live, connection, nowMillis);
  }

  /** The broker of this entry registered again, as before and over the same connection. */
  renewLive(live: BrokerLiveInfo, nowMillis: number): void {
    this.#incarnation += 1;
    this.#brokerLiveTable.renew(live, this.#incarnation, nowMillis);
  }

  /** Gives every broker more time to be heard, never more than until now. */
  postponeAll(stallMillis: number, nowMillis: number): void {
    for (const live of this.#brokerLiveTable.values()) {
      this.#brokerLiveTable.postpone(live, Math.min(nowMillis, live.lastUpdateMillis + stallMillis));
    }
  }

  /**
   * Removes the queues of the groups that have left, in steps, of those that left with more topics than fit into one. What these topics
   * show besides is right at once.
   */
  *sweep(): Steps<void> {
    for (const brokerName of this.#left.keys()) yield* this.endLeaving(brokerName);
  }

  /** {@link sweep} for one group, which cannot come back before; nothing to do where it has not left. */
  *endLeaving(brokerName: string): Steps<void> {
    while (this.#removeLeft(brokerName)) yield;
  }

  /** A connection has closed. Returns the brokers that were heard on no other; they are to be removed. */
  closeConnection(connection: BrokerConnection): BrokerLiveInfo[] {
    return this.#brokerLiveTable.close(connection);
  }

  /** Takes an entry out of brokerLiveTable, and its filter servers with the last one of its address; false when it is gone already. */
  removeLive(live: BrokerLiveInfo): boolean {
    if (!this.#brokerLiveTable.delete(live)) return false;
    const { clusterName, brokerAddr } = live;
    if (!this.#brokerLiveTable.hasPlace(clusterName, brokerAddr)) this.putFilterServers(clusterName, brokerAddr, []);
    return true;
  }

  /** Puts a member into its group, which the cluster then lists, and gives the group its flags; true when that changed the group. */
  putMember(member: GroupMember): boolean {
    const { clusterName, brokerName, brokerId, brokerAddr, zoneName, enableActingMaster } = member;
    allAtOnce(this.endLeaving(brokerName));
    if (!this.#clusterAddrTable.lists(clusterName, brokerName)) {
      this.#groupsRevision += 1;
      if (this.#clusterAddrTable.add(clusterName, brokerName)) {
        this.events.record({ type: 'cluster.added', cause: 'register', cluster: clusterName });
      }
    }
    const moved = this.#brokerAddrTable.putMember(brokerName, clusterName, brokerId, brokerAddr);
    const flagged = this.#brokerAddrTable.setFlags(brokerName, zoneName, enableActingMaster);
    if (moved || flagged) this.#groupChanged(brokerName);
    return moved || flagged;
  }

  /** Takes an address out of a group; the last one takes the group with it, and its topics. */
  removeMember(brokerName: string, brokerAddr: string, cause: ChangeCause): void {
    const formerMinId = this.#brokerAddrTable.group(brokerName)?.minId;
    if (!this.#brokerAddrTable.removeMember(brokerName, brokerAddr)) return;
    this.#groupChanged(brokerName);
    const group = this.#brokerAddrTable.group(brokerName);
    if (group === undefined) return;
    if (group.size === 0) {
      this.#removeGroup(brokerName, group.cluster, cause);
      return;
    }
    // 5.x: a group that lost its master and may have an acting one takes no new messages (reference: nameserver 3.7). The loser of a
    // conflict is no such loss: Apache leaves the permissions alone.
    if (!this.profile.fiveX || cause === 'conflict') return;
    if (!group.enableActingMaster) return;
    this.#noteMinBrokerId(group, formerMinId, brokerAddr, cause);
    // As in Apache an id below the master's counts as one.
    if (group.minId !== undefined && group.minId <= MASTER_ID) return;
    for (const topic of this.#topicQueueTable.topicsOf(brokerName)) {
      const queues = this.#topicQueueTable.get(topic, brokerName);
      if (queues !== undefined) this.changePerm(topic, brokerName, queues.perm & ~PermName.WRITE, group.cluster, cause);
    }
  }

  /** Adds or replaces a topic's queues on one group (of `cluster`, for the event); equal ones change nothing. */
  putQueueData(topic: string, queueData: QueueData, cluster: string, cause: ChangeCause): void {
    const before = this.#topicQueueTable.get(topic, queueData.brokerName);
    if (before !== undefined && sameQueueData(before, queueData)) return;
    const type = this.#topicQueueTable.has(topic) ? 'topic.changed' : 'topic.added';
    const after = this.#topicQueueTable.put(topic, queueData, this.profile.changedQueueMovesToEnd);
    this.#topicChanged({ type, cause, cluster, broker: queueData.brokerName, topic, before, after });
  }

  /** Removes a topic's queues on one group, and the topic with its last ones. */
  removeQueueData(topic: string, brokerName: string, cluster: string, cause: ChangeCause): void {
    const before = this.#topicQueueTable.remove(topic, brokerName);
    if (before !== undefined) this.#queueRemoved(before, topic, cluster, cause);
  }

  /** Gives a topic's queues on one group another permission. */
  changePerm(topic: string, brokerName: string, perm: number, cluster: string, cause: ChangeCause): void {
    const before = this.#topicQueueTable.get(topic, brokerName);
    if (before === undefined || before.perm === perm) return;
    const after = this.#topicQueueTable.put(topic, { ...before, perm });
    this.#topicChanged({ type: 'perm.changed', cause, cluster, broker: brokerName, topic, before, after });
  }

  /** Replaces the filter servers of a broker. */
  putFilterServers(clusterName: string, brokerAddr: string, filterServers: readonly string[]): void {
    if (!this.#filterServerTable.put(clusterName, brokerAddr, filterServers)) return;
    for (const brokerName of this.#brokerAddrTable.namesOf(brokerAddr)) this.#invalidateRoutes(brokerName);
  }

  /** Keeps where a static topic's logical queues lie on one broker; what is known already changes nothing. */
  putMapping(topic: string, info: TopicQueueMappingInfo, cluster: string, cause: ChangeCause): void {
    const before = this.#topicQueueMappingInfoTable.get(topic, info.bname);
    if (before !== undefined && sameMapping(before, info)) return;
    this.#topicQueueMappingInfoTable.put(topic, info);
    this.routeCache.invalidateTopic(topic);
    this.events.record({ type: 'mapping.changed', cause, cluster, broker: info.bname, topic, before, after: info });
  }

  #removeGroup(brokerName: string, cluster: string, cause: ChangeCause): void {
    this.#brokerAddrTable.delete(brokerName);
    this.events.record({ type: 'broker-name.removed', cause, cluster, broker: brokerName });
    for (const listing of this.#clusterAddrTable.clustersOf(brokerName)) {
      if (this.#clusterAddrTable.remove(listing, brokerName)) {
        this.events.record({ type: 'cluster.removed', cause, cluster: listing });
      }
    }
    const topicCount = this.#topicQueueTable.countOf(brokerName);
    if (this.#largeGroups === undefined || topicCount <= this.#largeGroups.topics) {
      for (const topic of this.#topicQueueTable.topicsOf(brokerName))
        this.removeQueueData(topic, brokerName, cluster, cause);
      return;
    }
    this.#topicQueueTable.leave(brokerName);
    this.#left.set(brokerName, { cluster, cause });
    this.#largeGroups.onLeft();
  }

  /** Removes some topics of a group that has left; false when there were none. */
  #removeLeft(brokerName: string): boolean {
    const left = this.#left.get(brokerName);
    const topics = this.#topicQueueTable.topicsLeft(brokerName, STEP_TOPICS);
    if (left === undefined || topics.length === 0) {
      this.#left.delete(brokerName);
      return false;
    }
    for (const topic of topics) {
      const before = this.#topicQueueTable.removeLeft(topic, brokerName);
      if (before !== undefined) this.#queueRemoved(before, topic, left.cluster, left.cause);
    }
    return true;
  }

  #queueRemoved(before: QueueData, topic: string, cluster: string, cause: ChangeCause): void {
    const type = this.#topicQueueTable.has(topic) ? 'topic.changed' : 'topic.removed';
    this.#topicChanged({ type, cause, cluster, broker: before.brokerName, topic, before });
  }

  #noteMinBrokerId(
    group: ReadableBrokerGroup,
    formerMinId: Long | undefined,
    offlineBrokerAddr: string,
    cause: ChangeCause,
  ): void {
    const { minId, cluster, brokerName } = group;
    const minBrokerAddr = minId === undefined ? undefined : group.addrOf(minId);
    if (minId === undefined || minBrokerAddr === undefined || minId === formerMinId) return;
    const recipients = [...group.data.brokerAddrs.values()];
    this.events.record({
      type: 'min-broker-id.changed',
      cause,
      cluster,
      broker: brokerName,
      minBrokerId: minId,
      minBrokerAddr,
      offlineBrokerAddr,
      recipients,
    });
  }

  #groupChanged(brokerName: string): void {
    this.#groupsRevision += 1;
    this.#invalidateRoutes(brokerName);
  }

  #invalidateRoutes(brokerName: string): void {
    const { routeCache } = this;
    if (routeCache.onInvalidated === undefined && routeCache.size < this.#topicQueueTable.countOf(brokerName))
      routeCache.invalidateKept((topic) => this.#topicQueueTable.hasEntry(topic, brokerName));
    else for (const topic of this.#topicQueueTable.topicsOf(brokerName)) routeCache.invalidateTopic(topic);
  }

  #topicChanged(event: TopicEvent): void {
    this.#topicsRevision += 1;
    this.#brokerAddrTable.countTopicChange(event.broker);
    this.routeCache.invalidateTopic(event.topic);
    this.events.record(event);
  }
}
