import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { contents, recordingManager, registration } from './registration.js';

/** Far above what a change costs that touches only its own, far below what it cost when each looked at all others. */
const MAX_CPU_MILLIS = 2_500;

function cpuMillis(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('the cost of a change', () => {
  const cases: [string, (index: number) => Parameters<typeof registration>[0]][] = [
    [
      'each in a group and a cluster of its own',
      (index) => ({ name: `b${index}`, cluster: `C${index}`, addr: `a:${index}` }),
    ],
    ['all members of one group', (index) => ({ id: index, addr: `a:${index}`, over: { enableActingMaster: false } })],
    ['one address under many names', (index) => ({ name: `b${index}` })],
    ['one group in many clusters', (index) => ({ id: index, cluster: `C${index}`, addr: `a:${index}` })],
  ];
  for (const [what, fields] of cases) {
    it(`10,000 brokers register on one connection and leave with it, ${what}: no change looks at all others`, () => {
      const { manager } = recordingManager('5.3.3');
      const registrations = Array.from({ length: 10_000 }, (_, index) =>
        registration({ topics: [], ...fields(index) }),
      );
      const spent = cpuMillis(() => {
        for (const each of registrations) manager.registerBroker(each, 0);
        for (const each of registrations) hear(manager, each);
        expect(manager.onChannelDestroy(1)).to.equal(10_000);
      });
      expect(contents(manager)).to.deep.equal(contents(recordingManager('5.3.3').manager));
      expect(spent).to.be.lessThan(MAX_CPU_MILLIS);
    });

    it(`10,000 brokers unregister one by one, the last first, ${what}: no change looks at all others`, () => {
      const { manager } = recordingManager('5.3.3');
      const registrations = Array.from({ length: 10_000 }, (_, index) =>
        registration({ topics: [], ...fields(index) }),
      );
      for (const each of registrations) manager.registerBroker(each, 0);
      const spent = cpuMillis(() => {
        for (const each of registrations.reverse()) expect(manager.unregisterBroker(each)).to.equal(true);
      });
      expect(contents(manager)).to.deep.equal(contents(recordingManager('5.3.3').manager));
      expect(spent).to.be.lessThan(MAX_CPU_MILLIS);
    });
  }
});

function hear(manager: RouteInfoManager, { clusterName, brokerAddr }: ReturnType<typeof registration>): void {
  manager.brokerHeartbeat({ clusterName, brokerAddr }, 2, 1);
  manager.onChannelDestroy(2);
}
