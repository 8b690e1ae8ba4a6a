import { expect } from 'chai';
import fc from 'fast-check';
import { EventRecorder } from '../../src/event-recorder.js';
import type { NamesrvEvent } from '../../src/namesrv-event.js';
import { type ProfileName, profiles } from '../../src/profile.js';
import { RouteInfoManager } from '../../src/routeinfo/route-info-manager.js';
import { allAtOnce } from '../../src/sliced-work.js';
import { contents, registration } from './registration.js';

const TOPICS = ['T1', 'T2', 'T3', 'T4'];
const name = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('register' as const), name, topics: fc.subarray(TOPICS, { minLength: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('leave' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wipe' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), topic: fc.constantFrom(...TOPICS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const), steps: fc.integer({ min: 1, max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function make(profile: ProfileName, largeGroups?: { topics: number; onLeft: () => void }) {
  const events: NamesrvEvent[] = [];
  const recorder = new EventRecorder((event) => events.push(event));
  return { events, manager: new RouteInfoManager({ profile: profiles[profile], events: recorder, largeGroups }) };
}

function perform(manager: RouteInfoManager, step: Step, counter: number): unknown {
  switch (step.do) {
    case 'register':
      return manager.registerBroker(
        registration({
          name: step.name,
          addr: `${step.name}:1`,
          topics: step.topics,
          version: { timestamp: 1, counter, stateVersion: 0 },
        }),
        0,
      );
    case 'leave':
      return manager.unregisterBroker({
        clusterName: 'C1',
        brokerName: step.name,
        brokerAddr: `${step.name}:1`,
        brokerId: 0,
      });
    case 'wipe':
      return manager.wipeWritePermOfBroker(step.name);
    case 'delete':
      return void manager.deleteTopic(step.topic);
    case 'sweep':
      return undefined;
  }
}

const routes = (manager: RouteInfoManager) => TOPICS.map((topic) => manager.pickupTopicRouteData(topic));

describe('a group that leaves in steps', () => {
  for (const profile of ['4.9.7', '5.3.3'] as const) {
    it(`is shown nowhere at once, and ends as one that leaves at once, whatever comes between, profile ${profile}`, () => {
      let leavings = 0;
      const property = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const atOnce = make(profile);
        const inSteps = make(profile, { topics: 0, onLeft: () => leavings++ });
        let sweeping = inSteps.manager.sweepInSteps();
        for (const [counter, each] of steps.entries()) {
          expect(perform(inSteps.manager, each, counter)).to.deep.equal(perform(atOnce.manager, each, counter));
          for (let left = each.do === 'sweep' ? each.steps : 0; left > 0; left--) {
            if (sweeping.next().done === true) sweeping = inSteps.manager.sweepInSteps();
          }
          expect(routes(inSteps.manager)).to.deep.equal(routes(atOnce.manager));
          expect(inSteps.manager.getAllClusterInfo()).to.deep.equal(atOnce.manager.getAllClusterInfo());
          expect(inSteps.manager.getTopicsByCluster('C1').sort()).to.deep.equal(
            atOnce.manager.getTopicsByCluster('C1').sort(),
          );
          expect(inSteps.manager.getAllTopicList()).to.include.members(atOnce.manager.getAllTopicList());
        }
        allAtOnce(inSteps.manager.sweepInSteps());
        const sorted = (manager: RouteInfoManager) => [...manager.getAllTopicList()].sort();
        expect(sorted(inSteps.manager)).to.deep.equal(sorted(atOnce.manager));
        expect(contents(inSteps.manager))
          .to.have.property('groups')
          .that.deep.equals((contents(atOnce.manager) as { groups: unknown }).groups);
      });
      fc.assert(property, { numRuns: 500 });
      expect(leavings).to.be.greaterThan(0);
    });
  }

  it('removes 500 topics in a step and tells of each, and comes back with none of them', () => {
    const { manager, events } = make('5.3.3', { topics: 500, onLeft: () => {} });
    const topics = Array.from({ length: 1_200 }, (_, index) => `T${index}`);
    const whole = registration({ topics });
    manager.registerBroker(whole, 0);
    events.length = 0;
    manager.onChannelDestroy(1);
    const removed = () => events.filter(({ type }) => type === 'topic.removed').length;
    expect(removed()).to.equal(0);
    const steps = manager.sweepInSteps();
    steps.next();
    expect(removed()).to.equal(500);
    manager.registerBroker(registration({ topics: ['A', 'B'] }), 1);
    expect(removed()).to.equal(1_200);
    allAtOnce(steps);
    expect(manager.getAllTopicList()).to.deep.equal(['A', 'B']);
  });

  it('is done with its leaving in steps where its return can wait', () => {
    const { manager, events } = make('5.3.3', { topics: 500, onLeft: () => {} });
    manager.registerBroker(registration({ topics: Array.from({ length: 1_200 }, (_, index) => `T${index}`) }), 0);
    manager.onChannelDestroy(1);
    events.length = 0;
    const steps = manager.endLeavingInSteps('broker-a');
    for (const removed of [500, 1_000, 1_200]) {
      expect(steps.next().done).to.equal(false);
      expect(events).to.have.length(removed);
    }
    expect(steps.next().done).to.equal(true);
    expect(allAtOnce(manager.endLeavingInSteps('broker-a'))).to.equal(undefined);
  });

  it('looks at the answers that are kept, and not at all its topics, to forget those that show it', () => {
    const { manager } = make('5.3.3', { topics: 500, onLeft: () => {} });
    const topics = Array.from({ length: 1_200 }, (_, index) => `T${index}`);
    manager.registerBroker(registration({ topics }), 0);
    manager.registerBroker(registration({ name: 'broker-b', addr: 'b:1', topics: ['B'], connection: 2 }), 0);
    for (const topic of ['T7', 'B']) manager.routeCache.get(topic, 0, () => Buffer.from(topic));
    const forgotten: string[] = [];
    const { invalidateTopic } = manager.routeCache;
    manager.routeCache.invalidateTopic = function (topic) {
      forgotten.push(topic);
      invalidateTopic.call(this, topic);
    };
    manager.onChannelDestroy(1);
    expect(forgotten).to.deep.equal(['T7']);
    expect(manager.routeCache.size).to.equal(1);
  });

  it('leaves no topic behind when it comes back between two steps and leaves again', () => {
    const { manager } = make('5.3.3', { topics: 500, onLeft: () => {} });
    const names = (first: string) => Array.from({ length: 1_200 }, (_, index) => `${first}${index}`);
    manager.registerBroker(registration({ topics: names('T') }), 0);
    manager.onChannelDestroy(1);
    const steps = manager.sweepInSteps();
    steps.next();
    manager.registerBroker(registration({ topics: names('U') }), 1);
    manager.onChannelDestroy(1);
    allAtOnce(steps);
    allAtOnce(manager.sweepInSteps());
    expect(manager.getAllTopicList()).to.deep.equal([]);
  });
});
