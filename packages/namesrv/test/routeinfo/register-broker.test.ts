import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  contents,
  EVERY_RELEASE,
  RELEASES_4X,
  recordingManager,
  registration,
  routeOf,
  version,
} from './registration.js';

for (const profile of EVERY_RELEASE) {
  describe(`registerBroker, rules of every release, profile ${profile}`, () => {
    it('a registered master is in all tables that show it', () => {
      const { manager } = recordingManager(profile);
      expect(manager.registerBroker(registration(), 7)).to.deep.equal({ ok: true });
      const queueData = { brokerName: 'broker-a', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 };
      expect(contents(manager)).to.deep.equal({
        topics: { T1: [queueData], T2: [queueData] },
        groups: [
          [
            'broker-a',
            {
              cluster: 'C1',
              brokerName: 'broker-a',
              brokerAddrs: new Map([[0, '10.0.0.1:10911']]),
              zoneName: undefined,
              enableActingMaster: false,
            },
          ],
        ],
        clusters: [['C1', ['broker-a']]],
        live: [
          {
            clusterName: 'C1',
            brokerAddr: '10.0.0.1:10911',
            brokerName: 'broker-a',
            brokerId: 0,
            dataVersion: version(1),
            haServerAddr: '10.0.0.1:10912',
            heartbeatTimeoutMillis: 120_000,
            lastUpdateMillis: 7,
            connection: 1,
            otherConnections: [],
          },
        ],
        filters: [],
      });
    });

    it('a slave gets the address and HA address of its live master, and its topics are ignored', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      const slave = registration({
        id: 1,
        addr: '10.0.0.2:10911',
        ha: '10.0.0.2:10912',
        topics: ['S1', 'S2'],
        connection: 2,
      });
      expect(manager.registerBroker(slave, 0)).to.deep.equal({
        ok: true,
        masterAddr: '10.0.0.1:10911',
        haServerAddr: '10.0.0.1:10912',
      });
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911', '1=10.0.0.2:10911'] });
      expect(manager.getAllTopicList()).to.deep.equal(['T1', 'T2']);
    });

    it('a slave that is there first gets no master, and no topic has a route', () => {
      const { manager } = recordingManager(profile);
      expect(manager.registerBroker(registration({ id: 1 }), 0)).to.deep.equal({ ok: true });
      expect(routeOf(manager, 'T1')).to.equal(undefined);
      expect([...manager.getAllClusterInfo().brokerAddrTable.keys()]).to.deep.equal(['broker-a']);
    });

    it('a slave gets no master that is no longer heard', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ connection: 1 }), 0);
      const slave = registration({ id: 1, addr: '10.0.0.2:10911', connection: 2 });
      manager.registerBroker(slave, 100_000);
      manager.scanNotActiveBroker(120_001);
      expect(manager.registerBroker(slave, 120_002)).to.deep.equal({ ok: true });
    });

    it('a slave that becomes master leaves its old id: one record per address', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ connection: 1 }), 0);
      manager.registerBroker(registration({ id: 1, addr: '10.0.0.2:10911', connection: 2 }), 0);
      manager.unregisterBroker({
        clusterName: 'C1',
        brokerName: 'broker-a',
        brokerId: 0,
        brokerAddr: '10.0.0.1:10911',
      });
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['1=10.0.0.2:10911'] });
      manager.registerBroker(registration({ id: 0, addr: '10.0.0.2:10911', connection: 2 }), 1);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.2:10911'] });
      expect([...manager.tables.brokerLiveTable.values()]).to.have.length(1);
    });

    it('a slave that becomes master registers its topics though its data version is the same', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ id: 1 }), 0);
      expect(routeOf(manager, 'T1')).to.equal(undefined);
      manager.registerBroker(registration({ id: 0 }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911'] });
    });

    it('null filter list leaves the filter servers, a list replaces them, an empty one removes them', () => {
      const { manager } = recordingManager(profile);
      const filters = () => manager.pickupTopicRouteData('T1')?.filterServerTable;
      manager.registerBroker(registration({ over: { filterServerList: ['f:1', 'f:2'] } }), 0);
      manager.registerBroker(registration({ over: { filterServerList: null } }), 0);
      expect(filters()).to.deep.equal(new Map([['10.0.0.1:10911', ['f:1', 'f:2']]]));
      manager.registerBroker(registration({ over: { filterServerList: ['f:3'] } }), 0);
      expect(filters()).to.deep.equal(new Map([['10.0.0.1:10911', ['f:3']]]));
      manager.registerBroker(registration({ over: { filterServerList: [] } }), 0);
      expect(filters()).to.deep.equal(new Map());
    });

    it('ids above 2^53 are kept exactly', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.registerBroker(registration({ id: 9007199254740993n, addr: 'b:1' }), 0);
      manager.registerBroker(registration({ id: 9007199254740994n, addr: 'c:1' }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({
        'broker-a': ['0=10.0.0.1:10911', '9007199254740993=b:1', '9007199254740994=c:1'],
      });
    });
  });
}

for (const profile of RELEASES_4X) {
  describe(`registerBroker, profile ${profile}`, () => {
    it('the filter servers of an address are one list, whatever the cluster', () => {
      const { manager } = recordingManager(profile);
      const filters = () => manager.pickupTopicRouteData('T1')?.filterServerTable;
      manager.registerBroker(registration(), 0);
      const slave = { id: 1, addr: 's:1', cluster: 'C2', connection: 2 };
      manager.registerBroker(registration({ ...slave, over: { filterServerList: ['f:1'] } }), 0);
      expect(filters()).to.deep.equal(new Map([['s:1', ['f:1']]]));
      manager.registerBroker(registration({ ...slave, cluster: 'C1', over: { filterServerList: [] } }), 0);
      expect(filters()).to.deep.equal(new Map());
    });

    it('an address in two clusters is one broker: the same version from another cluster is no change', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ cluster: 'C1' }), 0);
      manager.registerBroker(registration({ cluster: 'C2', topics: ['T1', 'T2', 'T3'] }), 0);
      expect(manager.getAllTopicList()).to.deep.equal(['T1', 'T2']);
      expect([...manager.tables.brokerLiveTable.values()]).to.have.length(1);
    });

    it('what only 5.x knows is ignored: zone, acting master, heartbeat timeout, static topics', () => {
      const { manager } = recordingManager(profile);
      const over = { zoneName: 'z', enableActingMaster: true, heartbeatTimeoutMillis: 10_000 };
      manager.registerBroker(registration({ id: 1, over }), 0);
      expect(manager.getAllTopicList()).to.deep.equal([]);
      expect(manager.getAllClusterInfo().brokerAddrTable.get('broker-a')).to.include({
        zoneName: undefined,
        enableActingMaster: false,
      });
      expect(manager.scanNotActiveBroker(120_000)).to.have.length(0);
    });
  });
}

describe('registerBroker, profile 5.3.3', () => {
  const profile = '5.3.3';

  it('8.4 trap 7: zone and acting master follow the last member that registered, as in Apache', () => {
    const { manager } = recordingManager(profile);
    const group = () => manager.getAllClusterInfo().brokerAddrTable.get('broker-a');
    manager.registerBroker(registration({ over: { zoneName: 'z1', enableActingMaster: true } }), 0);
    expect(group()).to.include({ zoneName: 'z1', enableActingMaster: true });
    manager.registerBroker(registration({ id: 1, addr: 's:1' }), 0);
    expect(group()).to.include({ zoneName: undefined, enableActingMaster: false });
  });
});
