import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ProfileName } from '../../src/profile.js';
import {
  contents,
  EVERY_RELEASE,
  permOf,
  RELEASES_4X,
  recordingManager,
  registration,
  routeOf,
  topicConfig,
  version,
} from './registration.js';

for (const profile of EVERY_RELEASE) {
  describe(`topics of a registration, rules of every release, profile ${profile}`, () => {
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

    it('10.3 row 6: a wiped permission survives the same version and is gone with the next (P24)', () => {
      const { manager } = recordingManager(profile);
      manager.registerBroker(registration(), 0);
      manager.wipeWritePermOfBroker('broker-a');
      manager.registerBroker(registration(), 1);
      expect(permOf(manager, 'T1')).to.equal(4);
      manager.registerBroker(registration({ version: version(2) }), 2);
      expect(permOf(manager, 'T1')).to.equal(6);
    });
  });
}

for (const profile of RELEASES_4X) {
  describe(`topics of a registration, profile ${profile}`, () => {
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
  });
}

describe('topics of a registration, profile 4.7.1', () => {
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

describe('topics of a registration, profile 5.3.3', () => {
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
