import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { contents, EVERY_RELEASE, permOf, recordingManager, registration, routeOf } from './registration.js';

const A = '10.0.0.1:10911';
const unregister = (manager: RouteInfoManager, over: object = {}) =>
  manager.unregisterBroker({ clusterName: 'C1', brokerName: 'broker-a', brokerId: 0, brokerAddr: A, ...over });

for (const profile of EVERY_RELEASE) {
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
}
