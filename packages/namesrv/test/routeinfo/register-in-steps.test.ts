import type { TopicConfig } from '@rmqns/protocol';
import { expect } from 'chai';
import type { BrokerRegistration } from '../../src/routeinfo/register-broker.js';
import type { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { allAtOnce } from '../../src/sliced-work.js';
import { contents, recordingManager, registration, topicConfig, version } from './registration.js';

describe('a registration in steps', () => {
  const names = Array.from({ length: 1_200 }, (_, index) => `T${index}`);
  const whole = registration({ topics: names });

  function begun(over: Partial<BrokerRegistration> = {}) {
    const { manager, events } = recordingManager('5.3.3');
    const steps = manager.registerBrokerInSteps({ ...whole, ...over }, 1);
    expect(steps.next().done).to.equal(false);
    return { manager, events, steps };
  }
  const topicCount = (manager: RouteInfoManager): number => manager.getAllTopicList().length;

  it('ends as one at once does, with the same events in the same order', () => {
    const atOnce = recordingManager('5.3.3');
    const result = atOnce.manager.registerBroker(whole, 1);
    const { manager, events, steps } = begun();
    expect(allAtOnce(steps)).to.deep.equal(result);
    expect(contents(manager)).to.deep.equal(contents(atOnce.manager));
    expect(events).to.deep.equal(atOnce.events);
  });

  it('shows each topic as it was or as it will be, and tells of each step what it changed', () => {
    const { manager, events, steps } = begun();
    let shown = topicCount(manager);
    expect(shown).to.be.greaterThan(0);
    while (steps.next().done !== true) {
      expect(topicCount(manager)).to.be.greaterThan(shown);
      shown = topicCount(manager);
      expect(events.filter(({ type }) => type === 'topic.added')).to.have.length(shown);
    }
    expect(topicCount(manager)).to.equal(names.length);
  });

  const leaving: [string, (manager: RouteInfoManager) => unknown][] = [
    ['its connection ends', (manager) => manager.onChannelDestroy(1)],
    ['it unregisters', (manager) => manager.unregisterBroker(whole)],
    ['it expires', (manager) => manager.scanNotActiveBroker(1_000_000)],
  ];
  for (const [what, leave] of leaving) {
    it(`leaves no topic behind when the broker goes between two steps: ${what}`, () => {
      const { manager, steps } = begun();
      leave(manager);
      expect(allAtOnce(steps)).to.deep.equal({ ok: true });
      expect(contents(manager)).to.deep.equal(contents(recordingManager('5.3.3').manager));
    });
  }

  it("puts topics that stand under other names in Apache's order, of which it makes steps as well", () => {
    const topicConfigTable = new Map<string, TopicConfig>();
    for (let index = 0; index < 6_000; index++)
      topicConfigTable.set(`K${index}`, topicConfig(`T${index % 10}`, { perm: index % 8 }));
    const odd = { topicConfigWrapper: { ...whole.topicConfigWrapper, topicConfigTable } };
    const { manager, steps } = begun(odd);
    expect(topicCount(manager)).to.equal(0);
    expect(allAtOnce(steps)).to.deep.equal({ ok: true });
    const atOnce = recordingManager('5.3.3');
    atOnce.manager.registerBroker({ ...whole, ...odd }, 1);
    expect(contents(manager)).to.deep.equal(contents(atOnce.manager));
    const gone = begun(odd);
    gone.manager.unregisterBroker(whole);
    allAtOnce(gone.steps);
    expect(topicCount(gone.manager)).to.equal(0);
  });

  it('gives way to a later registration of the same broker', () => {
    const { manager, steps } = begun();
    const later = registration({ topics: ['T1', 'T2'], version: version(2) });
    manager.registerBroker(later, 2);
    const shown = topicCount(manager);
    allAtOnce(steps);
    expect(topicCount(manager)).to.equal(shown);
  });

  it('gives way to another broker that takes its name after it has gone', () => {
    const { manager, steps } = begun();
    manager.unregisterBroker(whole);
    manager.registerBroker(registration({ addr: '10.0.0.9:10911', topics: ['A', 'B'] }), 2);
    allAtOnce(steps);
    expect(manager.getAllTopicList()).to.deep.equal(['A', 'B']);
  });
});
