import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { contents, EVERY_RELEASE, permOf, recordingManager, registration, routeOf, version } from './registration.js';

const A = '10.0.0.1:10911';

for (const profile of EVERY_RELEASE) {
  const empty = () => contents(recordingManager(profile).manager);

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
}

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
