import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventRecorder } from '../../src/event-recorder.js';
import { profiles } from '../../src/profile.js';
import { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import {
  EVERY_RELEASE,
  permOf,
  recordingManager,
  registration,
  routeOf,
  topicConfig,
  version,
} from './registration.js';

const BROKER = { clusterName: 'C1', brokerAddr: '10.0.0.1:10911' };

for (const profile of EVERY_RELEASE) {
  const fiveX = profile === '5.3.3';

  describe(`queryDataVersion and brokerHeartbeat, profile ${profile}`, () => {
    it('10.3 row 20: an unknown broker has changed and has no version', () => {
      const { manager } = recordingManager(profile);
      expect(manager.queryDataVersion(BROKER, version(1), 1, 0)).to.deep.equal({ changed: true });
    });

    it('the same version is unchanged and keeps the broker alive', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const result = manager.queryDataVersion(BROKER, version(1), 1, 100_000);
      expect(result).to.deep.equal({ changed: false, dataVersion: version(1) });
      expect(manager.scanNotActiveBroker(220_000)).to.have.length(0);
      expect(manager.scanNotActiveBroker(220_001)).to.have.length(1);
    });

    it(`a different version has changed and ${fiveX ? 'keeps' : 'does not keep'} the broker alive`, () => {
      for (const given of [version(2), null]) {
        const { manager } = recordingManager(profile);
        manager.registerBroker(registration(), 0);
        const result = manager.queryDataVersion(BROKER, given, 1, 100_000);
        expect(result).to.deep.equal({ changed: true, dataVersion: version(1) });
        expect(manager.scanNotActiveBroker(120_001)).to.have.length(fiveX ? 0 : 1);
      }
    });

    it(`another cluster ${fiveX ? 'is another broker' : 'does not matter'}, a missing one never does`, () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const { brokerAddr } = BROKER;
      expect(manager.queryDataVersion({ clusterName: 'C9', brokerAddr }, version(1), 1, 0).changed).to.equal(fiveX);
      expect(manager.queryDataVersion({ brokerAddr }, version(1), 1, 0).changed).to.equal(false);
    });

    it('a heartbeat keeps a known broker alive and makes no unknown one', () => {
      const { manager } = recordingManager(profile);
      expect(manager.brokerHeartbeat(BROKER, 1, 0)).to.equal(false);
      manager.registerBroker(registration(), 0);
      expect(manager.brokerHeartbeat(BROKER, 1, 100_000)).to.equal(true);
      expect(manager.scanNotActiveBroker(220_000)).to.have.length(0);
    });

    it('liveness alone is no event', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      events.length = 0;
      manager.queryDataVersion(BROKER, version(1), 1, 1);
      manager.brokerHeartbeat(BROKER, 1, 2);
      expect(events).to.deep.equal([]);
    });
  });

  describe(`reads and writes of operators, profile ${profile}`, () => {
    it('10.3 rows 4 and 5: wiping counts every topic each time, adding sets exactly read and write', () => {
      const { manager, events } = recordingManager(profile);
      const topics = ['T1', 'T2', topicConfig('T3', { perm: 1 })];
      manager.registerBroker(registration({ topics }), 0);
      manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1' }), 0);
      events.length = 0;
      const perms = () => ['T1', 'T2', 'T3'].map((topic) => permOf(manager, topic));
      expect(manager.wipeWritePermOfBroker('broker-a')).to.equal(3);
      expect(perms()).to.deep.equal([4, 4, 1]);
      expect(events.map(({ type, cause }) => [type, cause])).to.deep.equal([
        ['perm.changed', 'wipe-write-perm'],
        ['perm.changed', 'wipe-write-perm'],
      ]);
      expect(manager.wipeWritePermOfBroker('broker-a')).to.equal(3);
      expect(events).to.have.length(2);
      expect(manager.addWritePermOfBroker('broker-a')).to.equal(3);
      expect(perms()).to.deep.equal([6, 6, 6]);
      expect(permOf(manager, 'T1', 'broker-b')).to.equal(6);
      expect(manager.wipeWritePermOfBroker('broker-x')).to.equal(0);
    });

    it('a topic is deleted everywhere, or on the groups of one cluster; 8.4 trap 5: an unknown cluster deletes nothing, as in Apache', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ cluster: 'C1', name: 'broker-a', addr: 'a:1' }), 0);
      manager.registerBroker(registration({ cluster: 'C2', name: 'broker-b', addr: 'b:1' }), 0);
      expect(manager.deleteTopic('T1', 'C9')).to.equal(false);
      expect(manager.deleteTopic('T1', 'C1')).to.equal(true);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-b': ['0=b:1'] });
      expect(manager.deleteTopic('T2', '')).to.equal(true);
      expect(manager.getAllTopicList()).to.deep.equal(['T1']);
      expect(manager.deleteTopic('T1', 'C2')).to.equal(true);
      expect(manager.deleteTopic('T1')).to.equal(false);
      expect(manager.getAllTopicList()).to.deep.equal([]);
    });

    it('topics by cluster, cluster and broker names, members of a group', () => {
      const { manager } = recordingManager(profile);
      expect(manager.getSystemTopicList()).to.deep.equal({ topicList: [] });
      manager.registerBroker(registration({ cluster: 'C1', name: 'broker-a', addr: 'a:1' }), 0);
      manager.registerBroker(registration({ cluster: 'C1', name: 'broker-a', addr: 's:1', id: 1 }), 0);
      manager.registerBroker(registration({ cluster: 'C1', name: 'broker-c', addr: 'c:1', topics: ['T2', 'T3'] }), 0);
      manager.registerBroker(registration({ cluster: 'C2', name: 'broker-b', addr: 'b:1', topics: ['X', 'Y'] }), 0);
      expect(manager.getTopicsByCluster('C1')).to.deep.equal(['T1', 'T2', 'T3']);
      expect(manager.getTopicsByCluster('C9')).to.deep.equal([]);
      expect(manager.getSystemTopicList()).to.deep.equal({
        topicList: ['C1', 'broker-a', 'broker-c', 'C2', 'broker-b'],
        brokerAddr: 'b:1',
      });
      expect([...manager.getBrokerMemberGroup('broker-a')]).to.deep.equal([
        [0, 'a:1'],
        [1, 's:1'],
      ]);
      expect([...manager.getBrokerMemberGroup('broker-x')]).to.deep.equal([]);
    });

    it('304 names a group of two clusters once, as any name', () => {
      const { manager } = recordingManager(profile);
      for (const cluster of ['C1', 'C2']) manager.registerBroker(registration({ cluster, name: 'C2' }), 0);
      expect(manager.getSystemTopicList().topicList).to.have.members(['C1', 'C2']);
    });

    it("304 shows the broker that Java's map of this release would show first", () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ name: 'raw-broker', addr: '127.0.0.1:30911' }), 0);
      manager.registerBroker(registration({ name: 'raw-empty', addr: '127.0.0.1:30931' }), 0);
      expect(manager.getSystemTopicList().brokerAddr).to.equal('127.0.0.1:30931');
    });

    it("unit lists look at one queue entry only: the oldest in 4.7.1's list, the first by hash in later maps", () => {
      const { manager } = recordingManager(profile);
      const flags = [0, 1, 2, 3].map((topicSysFlag) => topicConfig(`F${topicSysFlag}`, { topicSysFlag }));
      manager.registerBroker(registration({ topics: flags }), 0);
      const late = [topicConfig('F0', { topicSysFlag: 3 }), topicConfig('F3')];
      manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', topics: late }), 0);
      const both = profile === '4.7.1' ? 'F3' : 'F0';
      expect(manager.getUnitTopics()).to.have.members(['F1', both]);
      expect(manager.getHasUnitSubTopicList()).to.have.members(['F2', both]);
      expect(manager.getHasUnitSubUnUnitTopicList()).to.deep.equal(['F2']);
    });

    it('what was handed out does not change with the tables', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const route = manager.pickupTopicRouteData('T1');
      const list = manager.getAllTopicList();
      const before = structuredClone(route);
      manager.wipeWritePermOfBroker('broker-a');
      manager.registerBroker(registration({ id: 1, addr: 's:1' }), 0);
      manager.onChannelDestroy(1);
      expect([route, list]).to.deep.equal([before, ['T1', 'T2']]);
    });
  });
}

describe('events of RouteInfoManager', () => {
  it('a registration tells of cluster, broker and topics in this order, with growing revisions', () => {
    const { manager, events } = recordingManager('5.3.3');
    manager.registerBroker(registration(), 0);
    expect(events.map(({ revision, type }) => [revision, type])).to.deep.equal([
      [1, 'cluster.added'],
      [2, 'broker.registered'],
      [3, 'topic.added'],
      [4, 'topic.added'],
    ]);
  });

  it('topic.changed tells what came, changed or went on one of several groups', () => {
    const { manager, events } = recordingManager('5.3.3');
    manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1', connection: 1 }), 0);
    manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', connection: 2 }), 0);
    const next = { topics: [topicConfig('T1', { readQueueNums: 8 }), 'T2'], version: version(2) };
    manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', connection: 2, ...next }), 0);
    manager.onChannelDestroy(2);
    const queue = { brokerName: 'broker-b', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 };
    const grown = { ...queue, readQueueNums: 8 };
    const changes = events.flatMap((event) =>
      event.type === 'topic.changed' && event.topic === 'T1' ? [[event.before, event.after]] : [],
    );
    expect(changes).to.deep.equal([
      [undefined, queue],
      [queue, grown],
      [grown, undefined],
    ]);
  });

  it('broker.updated tells a new version, HA address or id; the same again is no event', () => {
    const { manager, events } = recordingManager('5.3.3');
    manager.registerBroker(registration({ id: 1 }), 0);
    events.length = 0;
    manager.registerBroker(registration({ id: 1 }), 1);
    manager.registerBroker(registration({ id: 1, ha: 'x:1' }), 2);
    manager.registerBroker(registration({ id: 1, ha: 'x:1', version: version(2) }), 3);
    manager.registerBroker(
      registration({ id: 1, ha: 'x:1', version: version(2), over: { filterServerList: ['f:1'] } }),
      4,
    );
    manager.registerBroker(
      registration({ id: 1, ha: 'x:1', version: version(2), over: { filterServerList: ['f:1'] } }),
      5,
    );
    manager.registerBroker(registration({ id: 1, ha: 'x:1', version: version(2), over: { zoneName: 'z' } }), 6);
    expect(events.map(({ type }) => type)).to.deep.equal(Array(4).fill('broker.updated'));
  });

  it('a listener sees the tables after the whole operation, and may itself change them', () => {
    const seen: unknown[] = [];
    const manager: RouteInfoManager = new RouteInfoManager({
      profile: profiles['5.3.3'],
      events: new EventRecorder((event) => {
        seen.push([event.revision, event.type, manager.getAllTopicList().length]);
        if (event.type === 'broker.registered') manager.deleteTopic('T2');
      }),
    });
    manager.registerBroker(registration(), 0);
    expect(seen).to.deep.equal([
      [1, 'cluster.added', 2],
      [2, 'broker.registered', 2],
      [3, 'topic.added', 1],
      [4, 'topic.added', 1],
      [5, 'topic.removed', 1],
    ]);
  });

  it('a listener that throws harms neither the operation, nor the other events, nor the tables; its error is handed on', () => {
    const seen: number[] = [];
    const failures: unknown[] = [];
    const events = new EventRecorder(
      ({ revision }) => {
        seen.push(revision);
        if (revision === 2) throw new Error('listener');
      },
      (error, event) => failures.push([(error as Error).message, event.type]),
    );
    const manager = new RouteInfoManager({ profile: profiles['5.3.3'], events });
    expect(manager.registerBroker(registration(), 0)).to.deep.equal({ ok: true });
    expect(seen).to.deep.equal([1, 2, 3, 4]);
    expect(failures).to.deep.equal([['listener', 'broker.registered']]);
    manager.deleteTopic('T1');
    expect(seen).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('an equal mapping of a static topic is no event and keeps the route; a different one is both', () => {
    const { manager, events } = recordingManager('5.3.3');
    const register = (epoch: number, counter: number) => {
      const info = {
        topic: 'T1',
        scope: '__global__',
        totalQueues: 2,
        bname: 'broker-a',
        epoch,
        dirty: false,
        currIdMap: new Map([[0, 1]]),
      };
      const { topicConfigWrapper } = registration({ version: version(counter) });
      const wrapper = { ...topicConfigWrapper, topicQueueMappingInfoMap: new Map([['T1', info]]) };
      manager.registerBroker(registration({ over: { topicConfigWrapper: wrapper } }), 0);
      return info;
    };
    const first = register(1, 1);
    const kept = manager.routeCache.get('T1', 0, () => Buffer.from('1'));
    events.length = 0;
    register(1, 2);
    expect(events.map(({ type }) => type)).to.deep.equal(['broker.updated']);
    expect(manager.routeCache.get('T1', 0, () => Buffer.from('2'))).to.equal(kept);
    events.length = 0;
    const second = register(2, 3);
    expect(events.slice(1)).to.deep.equal([
      {
        type: 'mapping.changed',
        cause: 'register',
        cluster: 'C1',
        broker: 'broker-a',
        topic: 'T1',
        before: first,
        after: second,
        revision: events.at(-1)?.revision,
      },
    ]);
    expect(manager.routeCache.get('T1', 0, () => Buffer.from('3')).toString()).to.equal('3');
  });

  it('a change of zone or acting master alone shows in broker.updated', () => {
    const { manager, events } = recordingManager('5.3.3');
    const register = (zoneName: string, enableActingMaster: boolean) =>
      manager.registerBroker(registration({ over: { zoneName, enableActingMaster } }), 0);
    register('z1', false);
    events.length = 0;
    register('z2', false);
    register('z2', true);
    register('z2', true);
    const flags = events.map((event) =>
      event.type === 'broker.updated'
        ? [event.before, event.after].map(({ zoneName, enableActingMaster }) => [zoneName, enableActingMaster])
        : event.type,
    );
    expect(flags).to.deep.equal([
      [
        ['z1', false],
        ['z2', false],
      ],
      [
        ['z2', false],
        ['z2', true],
      ],
    ]);
  });
});
