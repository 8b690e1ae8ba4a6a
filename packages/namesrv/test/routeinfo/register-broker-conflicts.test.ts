import { expect } from 'chai';
import { describe, it } from 'mocha';
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
  describe(`registrations in conflict, rules of every release, profile ${profile}`, () => {
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
  });
}

for (const profile of RELEASES_4X) {
  describe(`registrations in conflict, profile ${profile}`, () => {
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
  });
}

describe('registrations in conflict, profile 5.3.3', () => {
  const profile = '5.3.3';

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
});
