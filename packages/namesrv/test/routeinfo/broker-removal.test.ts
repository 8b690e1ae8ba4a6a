import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ProfileName } from '../../src/profile.js';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { contents, permOf, recordingManager, registration, routeOf, version } from './registration.js';

const ALL: readonly ProfileName[] = ['4.7.1', '4.9.7', '5.3.3'];
const A = '10.0.0.1:10911';
const unregister = (manager: RouteInfoManager, over: object = {}) =>
  manager.unregisterBroker({ clusterName: 'C1', brokerName: 'broker-a', brokerId: 0, brokerAddr: A, ...over });

for (const profile of ALL) {
  const empty = () => contents(recordingManager(profile).manager);

  describe(`unregisterBroker, profile ${profile}`, () => {
    it('a broker that unregisters leaves nothing behind', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ over: { filterServerList: ['f:1'] } }), 0);
      expect(unregister(manager)).to.equal(true);
      expect(contents(manager)).to.deep.equal(empty());
      expect(manager.getAllTopicList()).to.deep.equal([]);
    });

    it('10.3 row 9: right id, wrong address changes nothing (4.x drops the route; 8.4 trap 2, P21)', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const before = contents(manager);
      events.length = 0;
      expect(unregister(manager, { brokerAddr: '10.0.0.9:10911' })).to.equal(false);
      expect(contents(manager)).to.deep.equal(before);
      expect(events).to.deep.equal([
        {
          type: 'broker.unregistered',
          revision: 5,
          cause: 'unregister',
          cluster: 'C1',
          broker: 'broker-a',
          brokerId: 0,
          addr: '10.0.0.9:10911',
          known: false,
        },
      ]);
    });

    it('10.3 row 10: right address, wrong id removes by address (4.x keeps the route and drops the live entry)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      expect(unregister(manager, { brokerId: 7 })).to.equal(true);
      expect(contents(manager)).to.deep.equal(empty());
    });

    it('a wrong cluster does not matter, as in Apache the address decides', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      expect(unregister(manager, { clusterName: 'C9' })).to.equal(true);
      expect(contents(manager)).to.deep.equal(empty());
    });

    it('a wrong broker name changes nothing (Apache drops the live entry and keeps the route)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const before = contents(manager);
      expect(unregister(manager, { brokerName: 'broker-x' })).to.equal(false);
      expect(contents(manager)).to.deep.equal(before);
    });

    it('a late unregistration of a replaced master leaves the new master alone (4.x drops it)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ addr: A, connection: 1 }), 0);
      manager.registerBroker(registration({ addr: 'b:1', connection: 2 }), 0);
      expect(unregister(manager)).to.equal(true);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
      expect(manager.tables.brokerLiveTable.has(A, 'broker-a')).to.equal(false);
    });

    it('a master that leaves its slave behind leaves the topics, too', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.registerBroker(registration({ id: 1, addr: 's:1' }), 0);
      unregister(manager);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['1=s:1'] });
      expect(permOf(manager, 'T1')).to.equal(6);
    });
  });

  describe(`one address under two names, profile ${profile}`, () => {
    const two = (second: object) => {
      const recorded = recordingManager(profile);
      recorded.manager.registerBroker(registration({ name: 'broker-a', connection: 1 }), 0);
      recorded.manager.registerBroker(registration({ name: 'broker-b', connection: 2, ...second }), 50_000);
      return recorded.manager;
    };
    for (const second of [{ cluster: 'C1' }, { cluster: 'C2' }]) {
      const where = `the second in ${second.cluster}`;
      it(`an unregistration takes the group that it names, ${where}`, () => {
        for (const [clusterName, brokerName, left] of [
          ['C1', 'broker-a', 'broker-b'],
          [second.cluster, 'broker-b', 'broker-a'],
        ] as const) {
          const manager = two(second);
          expect(unregister(manager, { clusterName, brokerName })).to.equal(true);
          expect(routeOf(manager, 'T1')).to.deep.equal({ [left]: [`0=${A}`] });
          expect([...manager.getAllClusterInfo().brokerAddrTable.keys()]).to.deep.equal([left]);
        }
      });

      it(`the close of a connection takes the group that registered on it, ${where}`, () => {
        const first = two(second);
        expect(first.onChannelDestroy(1)).to.equal(1);
        expect(routeOf(first, 'T1')).to.deep.equal({ 'broker-b': [`0=${A}`] });
        const last = two(second);
        expect(last.onChannelDestroy(2)).to.equal(1);
        expect(routeOf(last, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`] });
      });

      it(`the name that is no longer registered expires, the other stays, ${where}`, () => {
        const manager = two(second);
        expect(manager.scanNotActiveBroker(120_001).map(({ brokerName }) => brokerName)).to.deep.equal(['broker-a']);
        expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-b': [`0=${A}`] });
      });
    }

    it('a heartbeat is that of the name registered last', () => {
      const manager = two({});
      manager.brokerHeartbeat({ clusterName: 'C1', brokerAddr: A }, 2, 100_000);
      manager.scanNotActiveBroker(200_000);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-b': [`0=${A}`] });
      expect(unregister(manager, { brokerName: 'broker-b' })).to.equal(true);
      expect(contents(manager)).to.deep.equal(empty());
    });

    it('when the name registered last has left, a heartbeat is that of the one before', () => {
      const manager = two({});
      unregister(manager, { brokerName: 'broker-b' });
      expect(manager.brokerHeartbeat({ clusterName: 'C1', brokerAddr: A }, 1, 100_000)).to.equal(true);
      expect(manager.scanNotActiveBroker(220_000)).to.deep.equal([]);
    });

    it('the filter servers of the address stay until the last name leaves', () => {
      const manager = two({ over: { filterServerList: ['f:1'] } });
      unregister(manager, { brokerName: 'broker-b' });
      expect(manager.pickupTopicRouteData('T1')?.filterServerTable).to.deep.equal(new Map([[A, ['f:1']]]));
      unregister(manager);
      expect(contents(manager)).to.deep.equal(empty());
    });
  });

  describe(`onChannelDestroy, profile ${profile}`, () => {
    it('the events follow the order of removal: live, broker name, cluster, topics', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      events.length = 0;
      expect(manager.onChannelDestroy(1)).to.equal(1);
      const queueData = { brokerName: 'broker-a', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 };
      const of = { cause: 'channel-closed', cluster: 'C1' };
      expect(events).to.deep.equal([
        {
          type: 'broker.channel-closed',
          revision: 5,
          ...of,
          broker: 'broker-a',
          brokerId: 0,
          addr: A,
          before: {
            brokerId: 0,
            dataVersion: version(1),
            haServerAddr: '10.0.0.1:10912',
            heartbeatTimeoutMillis: 120_000,
            filterServers: [],
            zoneName: undefined,
            enableActingMaster: false,
          },
        },
        { type: 'broker-name.removed', revision: 6, ...of, broker: 'broker-a' },
        { type: 'cluster.removed', revision: 7, ...of },
        { type: 'topic.removed', revision: 8, ...of, broker: 'broker-a', topic: 'T1', before: queueData },
        { type: 'topic.removed', revision: 9, ...of, broker: 'broker-a', topic: 'T2', before: queueData },
      ]);
    });

    it('10.3 row 17: both brokers of one connection go (Apache removes the first it finds, P22)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1', connection: 1 }), 0);
      manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', connection: 1 }), 0);
      manager.registerBroker(registration({ name: 'broker-c', addr: 'c:1', connection: 2 }), 0);
      expect(manager.onChannelDestroy(1)).to.equal(2);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-c': ['0=c:1'] });
    });

    it('a broker that registered again over a new connection survives the close of its old one', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ connection: 1 }), 0);
      manager.registerBroker(registration({ connection: 2 }), 1);
      expect(manager.onChannelDestroy(1)).to.equal(0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`] });
      expect(manager.onChannelDestroy(2)).to.equal(1);
      expect(contents(manager)).to.deep.equal(empty());
    });

    const broker = { clusterName: 'C1', brokerAddr: A };
    for (const [what, hear] of [
      ['version query', (manager, connection) => manager.queryDataVersion(broker, version(1), connection, 1)],
      ['heartbeat', (manager, connection) => manager.brokerHeartbeat(broker, connection, 1)],
    ] satisfies [string, (manager: RouteInfoManager, connection: number) => unknown][]) {
      it(`a broker whose ${what} came on a second connection survives the close of the first (Apache drops it, P23), not that of both`, () => {
        const { manager } = recordingManager(profile);
        manager.registerBroker(registration({ connection: 1 }), 0);
        hear(manager, 2);
        hear(manager, 3);
        expect(manager.onChannelDestroy(1)).to.equal(0);
        expect(manager.onChannelDestroy(3)).to.equal(0);
        expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`] });
        expect(manager.onChannelDestroy(2)).to.equal(1);
        expect(contents(manager)).to.deep.equal(empty());
      });

      it(`a ${what} from a strange connection takes no broker over: its close drops nobody`, () => {
        const { manager } = recordingManager(profile);
        manager.registerBroker(registration({ connection: 1 }), 0);
        hear(manager, 2);
        expect(manager.onChannelDestroy(2)).to.equal(0);
        expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`] });
        expect(manager.onChannelDestroy(1)).to.equal(1);
        expect(contents(manager)).to.deep.equal(empty());
      });
    }

    it('a broker that registered again over a new connection goes with that one, though the old one never closed', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ connection: 1 }), 0);
      manager.brokerHeartbeat(broker, 2, 0);
      manager.registerBroker(registration({ connection: 3 }), 0);
      expect(manager.onChannelDestroy(3)).to.equal(1);
      expect(contents(manager)).to.deep.equal(empty());
      expect([manager.onChannelDestroy(1), manager.onChannelDestroy(2)]).to.deep.equal([0, 0]);
    });

    it('of the many connections that a broker was heard on the latest seven count beside the one it registered on', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ connection: 1 }), 0);
      for (let connection = 2; connection <= 100; connection++) manager.brokerHeartbeat(broker, connection, 1);
      const [live] = manager.tables.brokerLiveTable.values();
      expect(live?.otherConnections).to.deep.equal([94, 95, 96, 97, 98, 99, 100]);
      expect(manager.tables.brokerLiveTable.over(93)).to.deep.equal([]);
      for (let connection = 1; connection < 100; connection++) {
        expect(manager.onChannelDestroy(connection)).to.equal(0);
      }
      expect(manager.onChannelDestroy(100)).to.equal(1);
    });

    it('the connection of a client changes nothing', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      events.length = 0;
      expect(manager.onChannelDestroy(99)).to.equal(0);
      expect(events).to.deep.equal([]);
    });

    it('a broker that came back under another name leaves both groups (Apache cleans one)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ name: 'broker-a' }), 0);
      manager.registerBroker(registration({ name: 'broker-b' }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`], 'broker-b': [`0=${A}`] });
      expect(manager.onChannelDestroy(1)).to.equal(2);
      expect(contents(manager)).to.deep.equal(empty());
    });

    it('an address that is registered in two clusters stays until the last of them is gone', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ cluster: 'C1', connection: 1 }), 0);
      manager.registerBroker(registration({ cluster: 'C2', connection: 2 }), 0);
      manager.onChannelDestroy(1);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': [`0=${A}`] });
      manager.onChannelDestroy(2);
      expect(contents(manager)).to.deep.equal(empty());
    });
  });

  describe(`scanNotActiveBroker, profile ${profile}`, () => {
    for (const [afterMillis, expired] of [
      [119_999, 0],
      [120_000, 0],
      [120_001, 1],
    ] as const) {
      it(`${afterMillis} ms after the last registration ${expired === 0 ? 'a broker is still there' : 'a broker is gone'}`, () => {
        const { manager } = recordingManager(profile);
        manager.registerBroker(registration(), 1000);
        expect(manager.scanNotActiveBroker(1000 + afterMillis)).to.have.length(expired);
        expect(routeOf(manager, 'T1')).to.deep.equal(expired === 0 ? { 'broker-a': [`0=${A}`] } : undefined);
      });
    }

    it('the expired broker is returned with its connection and goes with the event broker.expired', () => {
      const { manager, events } = recordingManager(profile, { defaultHeartbeatTimeoutMillis: 50 });
      manager.registerBroker(registration({ connection: 3 }), 0);
      events.length = 0;
      expect(manager.scanNotActiveBroker(51).map(({ connection }) => connection)).to.deep.equal([3]);
      expect(events.map(({ type }) => type)).to.deep.equal([
        'broker.expired',
        'broker-name.removed',
        'cluster.removed',
        'topic.removed',
        'topic.removed',
      ]);
      expect(contents(manager)).to.deep.equal(empty());
    });

    it('only the silent one of two brokers on one connection expires (Apache 4.x may remove the other)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1', connection: 1 }), 0);
      manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', connection: 1 }), 100_000);
      expect(manager.scanNotActiveBroker(120_001).map(({ brokerAddr }) => brokerAddr)).to.deep.equal(['a:1']);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-b': ['0=b:1'] });
      expect(manager.tables.brokerLiveTable.over(1)).to.have.length(1);
    });

    it('8.4 trap 1: the entry of an address replaced under its id expires without touching the new one (5.x keeps it for ever)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ addr: 'a:1', connection: 1 }), 0);
      manager.registerBroker(registration({ addr: 'b:1', connection: 2 }), 100_000);
      expect(manager.scanNotActiveBroker(120_001).map(({ brokerAddr }) => brokerAddr)).to.deep.equal(['a:1']);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
      expect(manager.scanNotActiveBroker(120_002)).to.deep.equal([]);
    });

    it('a stall of this process expires nobody: every deadline moves by the time lost', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.scanNotActiveBroker(10_000);
      expect(manager.scanNotActiveBroker(310_000)).to.have.length(0);
      const period = profile === '5.3.3' ? 5_000 : 10_000;
      // 10 s of silence and one period were real, the rest of the 300 s was the stall.
      for (let now = 310_000 + period; now <= 310_000 + 110_000 - period; now += period) {
        expect(manager.scanNotActiveBroker(now)).to.have.length(0);
      }
      expect(manager.scanNotActiveBroker(310_000 + 110_001 - period)).to.have.length(1);
    });

    it('a broker heard during the stall is given no time of the future', () => {
      const { manager } = recordingManager(profile);
      manager.scanNotActiveBroker(0);
      manager.registerBroker(registration(), 300_000);
      manager.scanNotActiveBroker(300_001);
      expect([...manager.tables.brokerLiveTable.values()].map((live) => live.lastUpdateMillis)).to.deep.equal([
        300_001,
      ]);
    });
  });
}

describe('scanNotActiveBroker, profile 5.3.3', () => {
  it('a broker that named its own timeout is measured by it', () => {
    const { manager } = recordingManager('5.3.3');
    const over = { heartbeatTimeoutMillis: 10_000 };
    manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1', over }), 0);
    manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1' }), 0);
    expect(manager.scanNotActiveBroker(10_000)).to.have.length(0);
    expect(manager.scanNotActiveBroker(10_001).map(({ brokerAddr }) => brokerAddr)).to.deep.equal(['a:1']);
  });
});

describe('removal of the master, profile 5.3.3', () => {
  it('with acting masters the topics of the group lose the write bit, with perm.changed', () => {
    const { manager, events } = recordingManager('5.3.3');
    const over = { enableActingMaster: true };
    manager.registerBroker(registration({ connection: 1, over }), 0);
    manager.registerBroker(registration({ id: 1, addr: 's:1', connection: 2, over }), 0);
    events.length = 0;
    manager.onChannelDestroy(1);
    expect([permOf(manager, 'T1'), permOf(manager, 'T2')]).to.deep.equal([4, 4]);
    expect(events.map((event) => [event.type, event.cause])).to.deep.equal([
      ['broker.channel-closed', 'channel-closed'],
      ['min-broker-id.changed', 'channel-closed'],
      ['perm.changed', 'channel-closed'],
      ['perm.changed', 'channel-closed'],
    ]);
  });

  it("as in Apache a group keeps the write bit while it has an id below the master's", () => {
    const { manager } = recordingManager('5.3.3');
    const over = { enableActingMaster: true };
    manager.registerBroker(registration({ connection: 1, over }), 0);
    manager.registerBroker(registration({ id: -1, addr: 's:1', connection: 2, over }), 0);
    manager.addWritePermOfBroker('broker-a');
    manager.onChannelDestroy(1);
    expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['-1=s:1'] });
    expect(permOf(manager, 'T1')).to.equal(6);
  });
});
