import { expect } from 'chai';
import { describe, it } from 'mocha';
import { contents, EVERY_RELEASE, recordingManager, registration, routeOf } from './registration.js';

const A = '10.0.0.1:10911';

for (const profile of EVERY_RELEASE) {
  const empty = () => contents(recordingManager(profile).manager);

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

  for (const heartbeatTimeoutMillis of [0, -1, 2 ** 53, Number.NaN]) {
    it(`a heartbeat timeout of ${heartbeatTimeoutMillis} is none: the default holds`, () => {
      const { manager } = recordingManager('5.3.3', { defaultHeartbeatTimeoutMillis: 1_000 });
      manager.registerBroker(registration({ over: { heartbeatTimeoutMillis } }), 0);
      expect(manager.scanNotActiveBroker(1_000)).to.have.length(0);
      expect(manager.scanNotActiveBroker(1_001)).to.have.length(1);
    });
  }
});
