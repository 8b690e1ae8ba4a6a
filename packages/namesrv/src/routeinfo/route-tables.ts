import { type BrokerData, type QueueData, sameQueueData, type TopicQueueMappingInfo } from '@rmqns/protocol';
import type { EventRecorder } from '../event-recorder.js';
import type { ChangeCause, TopicEvent } from '../namesrv-event.js';
import type { Profile } from '../profile.js';
import { BrokerAddrTable, sameMembers } from './broker-addr-table.js';
import { BrokerLiveTable } from './broker-live-table.js';
import { ClusterAddrTable } from './cluster-addr-table.js';
import { FilterServerTable } from './filter-server-table.js';
import { RouteCache } from './route-cache.js';
import { TopicQueueMappingInfoTable } from './topic-queue-mapping-info-table.js';
import { TopicQueueTable } from './topic-queue-table.js';

/**
 * The tables of the name server, and the steps of which every change is made: each keeps the kept routes true and notes its event.
 *
 * What holds between operations: a member of a group is an address in brokerLiveTable; a group has a member and is listed by a cluster;
 * a topic has queues, each on a group that exists.
 */
export class RouteTables {
  readonly topicQueueTable = new TopicQueueTable();
  readonly brokerAddrTable = new BrokerAddrTable();
  readonly clusterAddrTable = new ClusterAddrTable();
  readonly brokerLiveTable = new BrokerLiveTable();
  readonly filterServerTable = new FilterServerTable();
  readonly topicQueueMappingInfoTable = new TopicQueueMappingInfoTable();
  readonly routeCache = new RouteCache();
  readonly profile: Profile;
  readonly events: EventRecorder;
  #incarnation = 0;

  constructor(profile: Profile, events: EventRecorder) {
    this.profile = profile;
    this.events = events;
  }

  /** The number of the latest registration. */
  get incarnation(): number {
    return this.#incarnation;
  }

  nextIncarnation(): number {
    this.#incarnation += 1;
    return this.#incarnation;
  }

  /** Adds or replaces a topic's queues on one group (of `cluster`, for the event); equal ones change nothing. */
  putQueueData(topic: string, queueData: QueueData, cluster: string, cause: ChangeCause): void {
    const before = this.topicQueueTable.get(topic, queueData.brokerName);
    if (before !== undefined && sameQueueData(before, queueData)) return;
    const type = this.topicQueueTable.has(topic) ? 'topic.changed' : 'topic.added';
    const after = this.topicQueueTable.put(topic, queueData, this.profile.changedQueueMovesToEnd);
    this.#topicChanged({ type, cause, cluster, broker: queueData.brokerName, topic, before, after });
  }

  /** Removes a topic's queues on one group, and the topic with its last ones. */
  removeQueueData(topic: string, brokerName: string, cluster: string, cause: ChangeCause): void {
    const before = this.topicQueueTable.remove(topic, brokerName);
    if (before === undefined) return;
    const type = this.topicQueueTable.has(topic) ? 'topic.changed' : 'topic.removed';
    this.#topicChanged({ type, cause, cluster, broker: brokerName, topic, before });
  }

  /** Gives a topic's queues on one group another permission. */
  changePerm(topic: string, brokerName: string, perm: number, cluster: string, cause: ChangeCause): void {
    const before = this.topicQueueTable.get(topic, brokerName);
    if (before === undefined || before.perm === perm) return;
    const after = this.topicQueueTable.put(topic, { ...before, perm });
    this.#topicChanged({ type: 'perm.changed', cause, cluster, broker: brokerName, topic, before, after });
  }

  /** Adds or replaces a group; true when that changed it. */
  putGroup(group: BrokerData): boolean {
    const before = this.brokerAddrTable.get(group.brokerName);
    if (before !== undefined && sameGroup(before, group)) return false;
    this.brokerAddrTable.put(group);
    this.#invalidateBroker(group.brokerName);
    return true;
  }

  /** Replaces the filter servers of a broker; true when they changed. */
  putFilterServers(clusterName: string, brokerAddr: string, filterServers: readonly string[]): boolean {
    if (!this.filterServerTable.put(clusterName, brokerAddr, filterServers)) return false;
    for (const brokerName of this.brokerAddrTable.namesOf(brokerAddr)) this.#invalidateBroker(brokerName);
    return true;
  }

  /** Keeps where a static topic's logical queues lie on one broker. */
  putMapping(topic: string, info: TopicQueueMappingInfo): void {
    this.topicQueueMappingInfoTable.put(topic, info);
    this.routeCache.invalidateTopic(topic);
  }

  #invalidateBroker(brokerName: string): void {
    if (this.routeCache.size === 0) return;
    for (const topic of this.topicQueueTable.topicsOf(brokerName)) this.routeCache.invalidateTopic(topic);
  }

  #topicChanged(event: TopicEvent): void {
    this.routeCache.invalidateTopic(event.topic);
    this.events.record(event);
  }
}

function sameGroup(a: BrokerData, b: BrokerData): boolean {
  return (
    a.cluster === b.cluster &&
    a.zoneName === b.zoneName &&
    a.enableActingMaster === b.enableActingMaster &&
    sameMembers(a.brokerAddrs, b.brokerAddrs)
  );
}
