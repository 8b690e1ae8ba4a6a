import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ProfileName } from '../../src/profile.js';
import { contents, permOf, recordingManager, registration, routeOf, topicConfig, version } from './registration.js';

const ALL: readonly ProfileName[] = ['4.7.1', '4.9.7', '5.3.3'];
const FOUR_X: readonly ProfileName[] = ['4.7.1', '4.9.7'];

for (const profile of ALL) {
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

    it('an older data version is applied like any that differs (P25)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ version: version(9) }), 0);
      const older = registration({ version: version(3), topics: [topicConfig('T1', { perm: 4 }), 'T2'] });
      manager.registerBroker(older, 0);
      expect(permOf(manager, 'T1')).to.equal(4);
    });

    it('the same data version leaves the queues of a known topic as they are', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      events.length = 0;
      manager.registerBroker(registration({ topics: [topicConfig('T1', { perm: 4 }), 'T2'] }), 1);
      expect(permOf(manager, 'T1')).to.equal(6);
      expect(events).to.deep.equal([]);
    });

    it('10.3 row 8: a topic missing from a new version stays (P26)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ topics: ['T1', 'T2', 'T3'] }), 0);
      manager.registerBroker(registration({ topics: ['T1', 'T3'], version: version(2) }), 0);
      expect(manager.getAllTopicList()).to.deep.equal(['T1', 'T2', 'T3']);
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

    it('the queues are filed under the name in the config, not under its key', () => {
      const { manager } = recordingManager(profile);
      const wrapper = {
        dataVersion: version(1),
        topicConfigTable: new Map([
          ['key', topicConfig('T1')],
          ['T2', topicConfig('T2')],
        ]),
        topicQueueMappingInfoMap: new Map(),
      };
      manager.registerBroker(registration({ over: { topicConfigWrapper: wrapper } }), 0);
      expect(manager.getAllTopicList()).to.deep.equal(['T1', 'T2']);
    });

    it('of two keys that name one topic the last in the order of Java counts, wherever they stand', () => {
      // Nameserver 8.6: T4 comes before T1.
      for (const keys of [
        ['T1', 'T4'],
        ['T4', 'T1'],
      ]) {
        const { manager } = recordingManager(profile);
        const wrapper = {
          dataVersion: version(1),
          topicConfigTable: new Map(keys.map((key) => [key, topicConfig('X', { perm: key === 'T1' ? 2 : 4 })])),
          topicQueueMappingInfoMap: new Map(),
        };
        manager.registerBroker(registration({ over: { topicConfigWrapper: wrapper } }), 0);
        expect(permOf(manager, 'X'), String(keys)).to.equal(2);
      }
    });

    it('a null topic table registers the broker without topics (Apache 5.3.3 stops half-way and answers success)', () => {
      const { manager } = recordingManager(profile);
      expect(manager.registerBroker(registration({ topics: null }), 0)).to.deep.equal({ ok: true });
      expect([...manager.tables.brokerLiveTable.values()]).to.have.length(1);
      expect(manager.getAllTopicList()).to.deep.equal([]);
    });

    for (const [what, topicName] of [
      ['no name', null],
      ['an empty name', ''],
    ] as const) {
      it(`a topic config with ${what} refuses the whole registration without a trace (Apache registers half of it)`, () => {
        const { manager, events } = recordingManager(profile);
        const result = manager.registerBroker(registration({ topics: ['T1', topicConfig(topicName)] }), 0);
        expect(result.ok).to.equal(false);
        expect(result)
          .to.have.property('remark')
          .that.matches(/^register broker failed: the topic config under key ".*" has no topicName$/);
        expect(contents(manager)).to.deep.equal(contents(recordingManager(profile).manager));
        expect(events).to.deep.equal([]);
      });
    }

    it('the same broker name in two clusters shares one group; both list the name, the cluster stays the first (P18)', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration({ cluster: 'C1', addr: 'a:1', connection: 1 }), 0);
      manager.registerBroker(registration({ cluster: 'C2', addr: 'b:1', connection: 2 }), 0);
      const info = manager.getAllClusterInfo();
      expect(info.clusterAddrTable).to.deep.equal(
        new Map([
          ['C1', new Set(['broker-a'])],
          ['C2', new Set(['broker-a'])],
        ]),
      );
      expect(info.brokerAddrTable.get('broker-a')).to.include({ cluster: 'C1' });
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
      expect(events.filter(({ type }) => type === 'broker.conflict')).to.deep.include.members([
        {
          type: 'broker.conflict',
          revision: 5,
          cause: 'register',
          kind: 'name_in_two_clusters',
          cluster: 'C2',
          broker: 'broker-a',
          brokerId: 0,
          addr: 'b:1',
          before: { cluster: 'C1', addr: 'a:1', stateVersion: 0 },
          after: { cluster: 'C2', addr: 'b:1', stateVersion: 0 },
        },
      ]);
      manager.onChannelDestroy(2);
      expect(manager.getAllClusterInfo().clusterAddrTable).to.deep.equal(new Map());
    });

    it('two addresses for id 0 without stateVersion: the last one wins, with a conflict event (P19)', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration({ addr: 'a:1', connection: 1 }), 0);
      manager.registerBroker(registration({ addr: 'b:1', connection: 2 }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
      expect(events.find(({ type }) => type === 'broker.conflict')).to.include({ kind: 'master_switch', addr: 'b:1' });
    });

    it('10.3 row 6: a wiped permission survives the same version and is gone with the next (P24)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.wipeWritePermOfBroker('broker-a');
      manager.registerBroker(registration(), 1);
      expect(permOf(manager, 'T1')).to.equal(4);
      manager.registerBroker(registration({ version: version(2) }), 2);
      expect(permOf(manager, 'T1')).to.equal(6);
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

for (const profile of FOUR_X) {
  describe(`registerBroker, profile ${profile}`, () => {
    it('10.3 row 11: a first registration of exactly one topic is accepted (P16)', () => {
      const { manager } = recordingManager(profile);
      expect(manager.registerBroker(registration({ topics: ['T1'] }), 0)).to.deep.equal({ ok: true });
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911'] });
    });

    it('a full table of the same data version after one topic is ignored (P17)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ topics: ['T1'] }), 0);
      manager.registerBroker(registration({ topics: ['T1', 'T2'] }), 0);
      expect(manager.getAllTopicList()).to.deep.equal(['T1']);
    });

    it('10.3 row 7: a topic deleted here stays deleted until the version changes (P28)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.deleteTopic('T1');
      manager.registerBroker(registration(), 1);
      expect(routeOf(manager, 'T1')).to.equal(undefined);
      manager.registerBroker(registration({ version: version(2) }), 2);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911'] });
    });

    it('10.3 row 12: a smaller stateVersion makes no difference, the last address wins (P20)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ addr: 'a:1', version: version(1, 9) }), 0);
      manager.registerBroker(registration({ addr: 'b:1', version: version(1, 8) }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
    });

    it('a stateVersion is no part of the version: it changes nothing, and is no event', () => {
      const { manager, events } = recordingManager(profile);
      manager.registerBroker(registration({ version: version(1, 1) }), 0);
      events.length = 0;
      const topics = [topicConfig('T1', { perm: 4 }), 'T2'];
      manager.registerBroker(registration({ version: version(1, 2), topics }), 1);
      expect(permOf(manager, 'T1')).to.equal(6);
      expect(events).to.deep.equal([]);
      const broker = { clusterName: 'C1', brokerAddr: '10.0.0.1:10911' };
      expect(manager.queryDataVersion(broker, version(1, 9), 1, 1).changed).to.equal(false);
    });

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

describe('registerBroker, profile 4.7.1', () => {
  const order = (profile: ProfileName) => {
    const { manager } = recordingManager(profile);
    manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1' }), 0);
    manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1' }), 0);
    const changed = { topics: [topicConfig('T1', { perm: 4 }), 'T2'], version: version(2) };
    manager.registerBroker(registration({ name: 'broker-a', addr: 'a:1', ...changed }), 0);
    return [manager.pickupTopicRouteData('T1'), manager.pickupTopicRouteData('T2')].map((route) =>
      route?.queueDatas.map(({ brokerName }) => brokerName),
    );
  };

  it('8.4 trap 11: as in Apache 4.7.1 a changed entry moves to the end of the list, an equal one stays', () => {
    expect(order('4.7.1')).to.deep.equal([
      ['broker-b', 'broker-a'],
      ['broker-a', 'broker-b'],
    ]);
  });

  it("from 4.9 on a changed entry keeps its place, which is that in Java's map of the names", () => {
    const same = [
      ['broker-b', 'broker-a'],
      ['broker-b', 'broker-a'],
    ];
    expect([order('4.9.7'), order('5.3.3')]).to.deep.equal([same, same]);
  });
});

describe('registerBroker, profile 5.3.3', () => {
  const profile = '5.3.3';

  it('10.3 row 11: a first registration of exactly one topic is refused without a trace (Apache leaves an empty group, P16)', () => {
    const { manager, events } = recordingManager(profile);
    expect(manager.registerBroker(registration({ topics: ['T1'] }), 0)).to.deep.equal({
      ok: false,
      remark: 'register broker failed',
    });
    expect(contents(manager)).to.deep.equal(contents(recordingManager(profile).manager));
    expect(events).to.deep.equal([]);
  });

  it('one topic of a broker that is registered already is accepted as an increment', () => {
    const { manager } = recordingManager(profile);
    manager.registerBroker(registration(), 0);
    const one = registration({ topics: ['T3'], version: version(2) });
    expect(manager.registerBroker(one, 0)).to.deep.equal({ ok: true });
    expect(manager.getAllTopicList()).to.deep.equal(['T1', 'T2', 'T3']);
  });

  it('a refused switch to master leaves the slave where it was (Apache drops it)', () => {
    const { manager } = recordingManager(profile);
    manager.registerBroker(registration({ id: 1, addr: 's:1', topics: ['T1', 'T2'] }), 0);
    const before = contents(manager);
    expect(manager.registerBroker(registration({ id: 0, addr: 's:1', topics: ['T1'] }), 5).ok).to.equal(false);
    expect(contents(manager)).to.deep.equal(before);
  });

  it('10.3 row 7: a topic deleted here comes back with the next registration of the same version (8.4 trap 3, P28), as in Apache 5.x', () => {
    const { manager } = recordingManager(profile);
    manager.registerBroker(registration(), 0);
    manager.deleteTopic('T1');
    expect(routeOf(manager, 'T1')).to.equal(undefined);
    manager.registerBroker(registration(), 1);
    expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=10.0.0.1:10911'] });
  });

  it('10.3 row 12: a smaller stateVersion for an id that a live address holds is ignored with success (P20)', () => {
    const { manager, events } = recordingManager(profile);
    manager.registerBroker(registration({ addr: 'a:1', version: version(1, 9007199254740993n), connection: 1 }), 0);
    const before = contents(manager);
    events.length = 0;
    const loser = registration({
      addr: 'b:1',
      version: version(5, 9007199254740992n),
      connection: 2,
      over: { zoneName: 'z' },
    });
    expect(manager.registerBroker(loser, 1)).to.deep.equal({ ok: true });
    expect(contents(manager)).to.deep.equal(before);
    expect(events).to.deep.equal([
      {
        type: 'broker.conflict',
        revision: 5,
        cause: 'register',
        kind: 'stale_version',
        cluster: 'C1',
        broker: 'broker-a',
        brokerId: 0,
        addr: 'b:1',
        before: { cluster: 'C1', addr: 'a:1', stateVersion: 9007199254740993n },
        after: { cluster: 'C1', addr: 'b:1', stateVersion: 9007199254740992n },
      },
    ]);
  });

  it('a slave that claims mastership with a smaller stateVersion leaves the group', () => {
    const { manager } = recordingManager(profile);
    manager.registerBroker(registration({ addr: 'a:1', version: version(1, 2) }), 0);
    manager.registerBroker(registration({ id: 1, addr: 'b:1', version: version(1, 1) }), 0);
    manager.registerBroker(registration({ id: 0, addr: 'b:1', version: version(1, 1) }), 0);
    expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=a:1'] });
    expect(manager.tables.brokerLiveTable.has('b:1', 'broker-a')).to.equal(false);
  });

  it('a master that loses its next place to a newer stateVersion leaves the permissions of its group as they are', () => {
    const { manager } = recordingManager(profile);
    const over = { enableActingMaster: true };
    manager.registerBroker(registration({ addr: 'a:1', version: version(1, 3), connection: 1, over }), 0);
    manager.registerBroker(registration({ id: 1, addr: 'b:1', version: version(1, 5), connection: 2, over }), 0);
    manager.registerBroker(registration({ id: 1, addr: 'a:1', version: version(1, 3), connection: 1, over }), 0);
    expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['1=b:1'] });
    expect(permOf(manager, 'T1')).to.equal(6);
  });

  it('the flags of a registration that is ignored are ignored, too (Apache takes them over)', () => {
    const { manager } = recordingManager(profile);
    const over = { enableActingMaster: true, zoneName: 'z' };
    manager.registerBroker(registration({ id: 1, addr: 'b:1', version: version(1, 5), over }), 0);
    manager.registerBroker(registration({ id: 1, addr: 'a:1', version: version(1, 3), connection: 2 }), 0);
    expect(manager.getAllClusterInfo().brokerAddrTable.get('broker-a')).to.include({
      enableActingMaster: true,
      zoneName: 'z',
    });
  });

  for (const heartbeatTimeoutMillis of [0, -1, 2 ** 53, Number.NaN]) {
    it(`a heartbeat timeout of ${heartbeatTimeoutMillis} is none: the default holds`, () => {
      const { manager } = recordingManager(profile, { defaultHeartbeatTimeoutMillis: 1_000 });
      manager.registerBroker(registration({ over: { heartbeatTimeoutMillis } }), 0);
      expect(manager.scanNotActiveBroker(1_000)).to.have.length(0);
      expect(manager.scanNotActiveBroker(1_001)).to.have.length(1);
    });
  }

  for (const [what, stateVersion] of [
    ['an equal', 9],
    ['a newer', 10],
  ] as const) {
    it(`${what} stateVersion takes the id`, () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ addr: 'a:1', version: version(1, 9) }), 0);
      manager.registerBroker(registration({ addr: 'b:1', version: version(1, stateVersion) }), 0);
      expect(routeOf(manager, 'T1')).to.deep.equal({ 'broker-a': ['0=b:1'] });
    });
  }

  it('8.4 trap 7: zone and acting master follow the last member that registered, as in Apache', () => {
    const { manager } = recordingManager(profile);
    const group = () => manager.getAllClusterInfo().brokerAddrTable.get('broker-a');
    manager.registerBroker(registration({ over: { zoneName: 'z1', enableActingMaster: true } }), 0);
    expect(group()).to.include({ zoneName: 'z1', enableActingMaster: true });
    manager.registerBroker(registration({ id: 1, addr: 's:1' }), 0);
    expect(group()).to.include({ zoneName: undefined, enableActingMaster: false });
  });

  it('a prime slave registers its topics, without the write bit when acting masters are enabled', () => {
    for (const [enableActingMaster, perm] of [
      [true, 4],
      [false, 6],
      [undefined, undefined],
    ] as const) {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration({ id: 1, over: { enableActingMaster } }), 0);
      expect(permOf(manager, 'T1')).to.equal(perm);
    }
  });

  it('8.4 trap 8: a slave next to a smaller id registers no topics, as in Apache', () => {
    const { manager } = recordingManager(profile);
    const over = { enableActingMaster: true };
    manager.registerBroker(registration({ id: 0, addr: 'm:1', topics: ['M1', 'M2'], over }), 0);
    manager.registerBroker(registration({ id: 1, addr: 's:1', over }), 0);
    expect(manager.getAllTopicList()).to.deep.equal(['M1', 'M2']);
  });

  it('static topics: mappings are kept by topic and broker when the version changed, and shown in the route', () => {
    const { manager } = recordingManager(profile);
    const info = {
      topic: 'T1',
      scope: '__global__',
      totalQueues: 2,
      bname: 'broker-a',
      epoch: 1,
      dirty: false,
      currIdMap: new Map([[0, 1]]),
    };
    const wrapper = registration().topicConfigWrapper;
    const over = { topicConfigWrapper: { ...wrapper, topicQueueMappingInfoMap: new Map([['T1', info]]) } };
    manager.registerBroker(registration({ over }), 0);
    expect(manager.pickupTopicRouteData('T1')?.topicQueueMappingByBroker).to.deep.equal(new Map([['broker-a', info]]));
    expect(manager.pickupTopicRouteData('T2')).to.not.have.property('topicQueueMappingByBroker');
  });
});
