import {
  digestRegisterBrokerBody,
  encodeRegisterBrokerBody,
  MqVersion,
  type QueueData,
  type TopicQueueMappingInfo,
} from '@rmqns/protocol';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { EventRecorder } from '../../src/event-recorder.js';
import type { NamesrvEvent } from '../../src/namesrv-event.js';
import { readRegistrationBody } from '../../src/processor/registration-body.js';
import { type ProfileName, profiles } from '../../src/profile.js';
import { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { allAtOnce } from '../../src/sliced-work.js';
import { registration, topicConfig } from './registration.js';
import { contentsOf, RouteModel } from './route-model.js';

const TIMEOUT_MILLIS = 100;
const TOPICS = ['T1', 'T2', 'T3'];
const CONNECTIONS = [1, 2, 3];

const cluster = fc.constantFrom('C1', 'C1', 'C2');
const NAMES = ['broker-a', 'broker-b'];
const name = fc.constantFrom(...NAMES);
const addr = fc.constantFrom('a:1', 'b:1', 'c:1');
const connection = fc.constantFrom(...CONNECTIONS);
const topics = fc.uniqueArray(
  fc.record({
    topicName: fc.constantFrom(...TOPICS),
    perm: fc.constantFrom(2, 4, 6, 6),
    readQueueNums: fc.constantFrom(4, 8),
  }),
  { selector: (topic) => topic.topicName },
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      cluster,
      name,
      id: fc.constantFrom(0, 0, 1, 2),
      addr,
      connection,
      counter: fc.integer({ min: 1, max: 3 }),
      stateVersion: fc.integer({ min: 0, max: 2 }),
      acting: fc.constantFrom(undefined, false, true),
      zone: fc.constantFrom(undefined, 'z1', 'z2'),
      filters: fc.constantFrom(null, [], ['f:1'], ['f:2', 'f:3']),
      mapped: fc.boolean(),
      topics,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('again' as const),
      back: fc.integer({ min: 1, max: 3 }),
      counter: fc.constantFrom(undefined, 1, 2, 3),
      perm: fc.constantFrom(undefined, undefined, 2, 6),
      without: fc.constantFrom(undefined, undefined, ...TOPICS),
      acting: fc.constantFrom(undefined, undefined, undefined, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hear' as const), cluster, addr, connection }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close' as const), connection }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('scan' as const), afterMillis: fc.integer({ min: 0, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unregister' as const), cluster, name, addr }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), topic: fc.constantFrom(...TOPICS) }) },
);
type AnyStep = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Step = Exclude<AnyStep, { do: 'again' }>;

/** The steps with each `again` replaced by the registration that many before it, if there is one, as it is or a little changed. */
function repeated(steps: readonly AnyStep[]): Step[] {
  const done: Step[] = [];
  for (const step of steps) {
    if (step.do !== 'again') {
      done.push(step);
      continue;
    }
    const meant = done.filter((before) => before.do === 'register').at(-step.back);
    if (meant === undefined) continue;
    const topics = meant.topics.filter(({ topicName }) => topicName !== step.without);
    const [first, ...others] = topics;
    done.push({
      ...meant,
      counter: step.counter ?? meant.counter,
      acting: step.acting ?? meant.acting,
      topics: first === undefined ? [] : [{ ...first, perm: step.perm ?? first.perm }, ...others],
    });
  }
  return done;
}

/** Registrations so far whose body was not read, and of which only some topics were. */
let unread = 0;
let partlyRead = 0;
/** Those of which only the time was noted. */
let renewals = 0;

/** Does one step to both. */
function perform(manager: RouteInfoManager, model: RouteModel, step: Step, now: number): void {
  switch (step.do) {
    case 'register': {
      const configs = step.topics.map(({ topicName, ...over }) => topicConfig(topicName, over));
      const version = { timestamp: 1, counter: step.counter, stateVersion: step.stateVersion };
      const { topicConfigWrapper, ...rest } = registration({ ...step, topics: configs, version });
      const mappings = step.mapped ? [['T1', mapping(step.name, step.counter)] as const] : [];
      const { fiveX } = manager.tables.profile;
      const wrapper = { ...topicConfigWrapper, topicQueueMappingInfoMap: new Map(mappings) };
      const said = { topicConfigSerializeWrapper: wrapper, filterServerList: step.filters };
      const bytes = encodeRegisterBrokerBody(said, { compressed: false, fiveX });
      const header = { compressed: false, requestVersion: fiveX ? MqVersion.V5_0_0 : MqVersion.V4_9_4 };
      const broker = { ...rest, enableActingMaster: step.acting };
      // As JSON no list is an empty one.
      const body =
        step.filters === null
          ? { ...said, isUnchanged: false, bodyKey: undefined, slices: undefined }
          : allAtOnce(
              readRegistrationBody(
                { body: bytes },
                { ...header, digest: digestRegisterBrokerBody([bytes]) },
                manager.keptBody(broker),
                { ...header, fiveX, nowMillis: -1 },
              ),
            );
      const { topicConfigSerializeWrapper, ...kept } = body;
      if (body.isUnchanged) unread += 1;
      else if ((topicConfigSerializeWrapper.topicConfigTable?.size ?? 0) < configs.length) partlyRead += 1;
      const before = body.isUnchanged ? manager.keptBody(broker) : undefined;
      const renewed = before && manager.renewRegistration({ ...broker, zoneName: step.zone }, before, now);
      if (renewed !== undefined) renewals += 1;
      const result =
        renewed ??
        manager.registerBroker(
          { ...broker, ...kept, zoneName: step.zone, topicConfigWrapper: topicConfigSerializeWrapper },
          now,
        );
      expect(result.ok).to.equal(model.register({ ...step, topics: configs }, now));
      return;
    }
    case 'hear':
      manager.brokerHeartbeat({ clusterName: step.cluster, brokerAddr: step.addr }, step.connection, now);
      model.hear(step.cluster, step.addr, step.connection, now);
      return;
    case 'close':
      manager.onChannelDestroy(step.connection);
      model.close(step.connection);
      return;
    case 'scan':
      manager.scanNotActiveBroker(now);
      model.scan(now);
      return;
    case 'unregister':
      manager.unregisterBroker({
        clusterName: step.cluster,
        brokerName: step.name,
        brokerAddr: step.addr,
        brokerId: 0,
      });
      model.unregister(step.cluster, step.name, step.addr);
      return;
    case 'wipe':
      manager.wipeWritePermOfBroker(step.name);
      model.changePerm(step.name, (perm) => perm & ~2);
      return;
    case 'add':
      manager.addWritePermOfBroker(step.name);
      model.changePerm(step.name, () => 6);
      return;
    case 'delete':
      manager.deleteTopic(step.topic);
      model.deleteTopic(step.topic);
      return;
  }
}

function mapping(bname: string, epoch: number): TopicQueueMappingInfo {
  return { topic: 'T1', scope: '__global__', totalQueues: 1, bname, epoch, dirty: false, currIdMap: new Map([[0, 0]]) };
}

/** What holds between two operations, whatever they are. */
function checkInvariants({ tables }: RouteInfoManager): void {
  const { topicQueueTable, brokerAddrTable, clusterAddrTable, brokerLiveTable, filterServerTable } = tables;
  for (const topic of topicQueueTable.topics()) {
    const queues = topicQueueTable.queuesOf(topic);
    expect(queues).to.not.have.length(0);
    for (const queue of queues) {
      expect(brokerAddrTable.get(queue.brokerName), 'the group of a queue').to.not.equal(undefined);
      expect(topicQueueTable.topicsOf(queue.brokerName)).to.include(topic);
      expect(topicQueueTable.get(topic, queue.brokerName)).to.equal(queue);
    }
    expect(new Set(queues.map(({ brokerName }) => brokerName)).size).to.equal(queues.length);
  }
  for (const brokerName of NAMES) {
    for (const topic of topicQueueTable.topicsOf(brokerName))
      expect(topicQueueTable.get(topic, brokerName)?.brokerName).to.equal(brokerName);
  }
  for (const [brokerName, group] of brokerAddrTable.entries()) {
    expect(group.brokerAddrs.size).to.be.greaterThan(0);
    const listing = [...clusterAddrTable.entries()].flatMap(([cluster, names]) =>
      names.has(brokerName) ? [cluster] : [],
    );
    expect(listing).to.include(group.cluster);
    expect(clusterAddrTable.clustersOf(brokerName).sort()).to.deep.equal(listing.sort());
    expect(brokerAddrTable.group(brokerName)?.minId).to.equal([...group.brokerAddrs.keys()][0]);
    const addrs = [...group.brokerAddrs.values()];
    expect(new Set(addrs).size, 'one record per address').to.equal(addrs.length);
    for (const addr of addrs) {
      expect(brokerLiveTable.has(addr, brokerName), 'a member is heard under the name of its group').to.equal(true);
      expect(brokerAddrTable.namesOf(addr)).to.include(brokerName);
    }
  }
  for (const [, names] of clusterAddrTable.entries()) {
    expect(names.size).to.be.greaterThan(0);
    for (const brokerName of names) expect(brokerAddrTable.get(brokerName)).to.not.equal(undefined);
  }
  const live = [...brokerLiveTable.values()];
  for (const carrier of CONNECTIONS) {
    const carried = live.filter((entry) => [entry.connection, ...entry.otherConnections].includes(carrier));
    expect(brokerLiveTable.over(carrier)).to.have.length(carried.length);
    expect(brokerLiveTable.over(carrier)).to.include.members(carried);
  }
  for (const entry of live) {
    expect(brokerLiveTable.get(entry.clusterName, entry.brokerAddr, entry.brokerName)).to.equal(entry);
    expect(brokerLiveTable.has(entry.brokerAddr, entry.brokerName)).to.equal(true);
  }
  for (const [clusterName, brokerAddr, list] of filterServerTable.entries()) {
    expect(list).to.not.have.length(0);
    expect(brokerLiveTable.newest(clusterName, brokerAddr)).to.not.equal(undefined);
  }
}

/** The tables as somebody knows them who only heard the events. */
class Follower {
  readonly clusters = new Set<string>();
  readonly topics = new Map<string, Map<string, QueueData>>();
  revision = 0;

  hear(event: NamesrvEvent): void {
    expect(event.revision).to.equal(++this.revision);
    if (event.type === 'cluster.added') this.clusters.add(event.cluster);
    if (event.type === 'cluster.removed') this.clusters.delete(event.cluster);
    if (!('topic' in event) || event.type === 'mapping.changed') return;
    const queues = this.topics.get(event.topic) ?? new Map<string, QueueData>();
    expect(queues.size === 0).to.equal(event.type === 'topic.added');
    expect(queues.get(event.broker)).to.deep.equal(event.before);
    if (event.after === undefined) queues.delete(event.broker);
    else queues.set(event.broker, event.after);
    expect(queues.size === 0).to.equal(event.type === 'topic.removed');
    if (queues.size === 0) this.topics.delete(event.topic);
    else this.topics.set(event.topic, queues);
  }
}

const entries = (_key: string, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value);

/** All that answers about clusters and groups show. */
function groupsShown(manager: RouteInfoManager): string {
  return JSON.stringify([manager.getAllClusterInfo(), manager.getSystemTopicList()], entries);
}

/** All that answers with topic lists show. */
function topicsShown(manager: RouteInfoManager): string {
  return JSON.stringify([manager.getAllTopicList(), manager.getUnitTopics(), manager.getHasUnitSubTopicList()]);
}

/** A route as bytes, down to the order of its entries. */
function encode(manager: RouteInfoManager, topic: string): Buffer | undefined {
  const route = manager.pickupTopicRouteData(topic);
  if (route === undefined) return undefined;
  return Buffer.from(JSON.stringify(route, entries));
}

for (const profile of ['4.7.1', '4.9.7', '5.3.3'] satisfies ProfileName[]) {
  describe(`RouteInfoManager against a model, profile ${profile}`, () => {
    it('any order of register, heartbeat, close, expiry, unregister and operators ends as the model says', () => {
      const property = fc.property(fc.array(step, { maxLength: 40 }).map(repeated), (steps) => {
        const follower = new Follower();
        const failures: unknown[] = [];
        const manager = new RouteInfoManager({
          profile: profiles[profile],
          defaultHeartbeatTimeoutMillis: TIMEOUT_MILLIS,
          scanPeriodMillis: 1_000_000,
          events: new EventRecorder(
            (event) => follower.hear(event),
            (error) => failures.push(error),
          ),
        });
        const model = new RouteModel(profiles[profile].fiveX, TIMEOUT_MILLIS);
        let now = 0;
        for (const step of steps) {
          now += step.do === 'scan' ? step.afterMillis : 1;
          const before = JSON.stringify([contentsOf(manager).members, contentsOf(manager).queues]);
          const { revision } = follower;
          const { groupsRevision, topicsRevision } = manager.tables;
          const shown = [groupsShown(manager), topicsShown(manager)];
          perform(manager, model, step, now);
          const after = contentsOf(manager);
          expect(after).to.deep.equal(model.contents());
          checkInvariants(manager);
          if (JSON.stringify([after.members, after.queues]) !== before) {
            expect(follower.revision).to.be.greaterThan(revision);
          }
          if (groupsShown(manager) !== shown[0]) {
            expect(manager.tables.groupsRevision).to.be.greaterThan(groupsRevision);
          }
          if (topicsShown(manager) !== shown[1]) {
            expect(manager.tables.topicsRevision).to.be.greaterThan(topicsRevision);
          }
          expect(failures).to.deep.equal([]);
          expect([...follower.clusters].sort()).to.deep.equal(
            [...manager.getAllClusterInfo().clusterAddrTable.keys()].sort(),
          );
          expect([...follower.topics.keys()].sort()).to.deep.equal(manager.getAllTopicList().sort());
          for (const topic of TOPICS) {
            const kept = manager.routeCache.get(topic, 'standard', () => encode(manager, topic));
            expect(kept?.toString()).to.equal(encode(manager, topic)?.toString());
          }
        }
        for (const carrier of CONNECTIONS) manager.onChannelDestroy(carrier);
        expect(contentsOf(manager)).to.deep.equal({ live: [], members: [], listed: [], queues: [] });
        expect(manager.getAllTopicList()).to.deep.equal([]);
        expect(manager.routeCache.size).to.equal(0);
      });
      fc.assert(property, { numRuns: 300 });
      expect(unread, 'registrations whose body was not read').to.be.greaterThan(0);
      expect(partlyRead, 'registrations of which some topics were read').to.be.greaterThan(0);
      expect(renewals, 'registrations of which only the time was noted').to.be.greaterThan(0);
    });
  });
}
