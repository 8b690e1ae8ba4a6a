import { expect } from 'chai';
import { describe, it } from 'mocha';
import { RouteCache } from '../../src/routeinfo/route-cache.js';
import { recordingManager, registration, version } from './registration.js';

const bytes = (text: string) => () => Buffer.from(text);

describe('RouteCache', () => {
  it('the same buffer is returned until its topic is invalidated, for each dialect', () => {
    const cache = new RouteCache();
    const standard = cache.get('T1', 'standard', bytes('a'));
    const legacy = cache.get('T1', 'legacy', bytes('b'));
    const other = cache.get('T2', 'standard', bytes('c'));
    expect(cache.get('T1', 'standard', bytes('x'))).to.equal(standard);
    expect(cache.get('T1', 'legacy', bytes('x'))).to.equal(legacy);
    expect(cache.size).to.equal(3);
    cache.invalidateTopic('T1');
    expect(cache.size).to.equal(1);
    expect(cache.get('T1', 'standard', bytes('x')).toString()).to.equal('x');
    expect(cache.get('T2', 'standard', bytes('x'))).to.equal(other);
  });

  it('an unknown topic is not kept', () => {
    const cache = new RouteCache();
    expect(cache.get('T1', 'standard', () => undefined)).to.equal(undefined);
    expect(cache.size).to.equal(0);
    expect(cache.get('T1', 'standard', bytes('a')).toString()).to.equal('a');
  });

  it('an unchanged registration and a heartbeat keep all bytes; a change of one broker drops only its topics', () => {
    const { manager } = recordingManager('5.3.3');
    const a = registration({ name: 'broker-a', addr: 'a:1', topics: ['A', 'AB'], connection: 1 });
    const b = registration({ name: 'broker-b', addr: 'b:1', topics: ['B', 'AB'], connection: 2 });
    manager.registerBroker(a, 0);
    manager.registerBroker(b, 0);
    const all = () => ['A', 'AB', 'B'].map((topic) => manager.routeCache.get(topic, 0, bytes(topic)));
    const first = all();
    manager.registerBroker(a, 1);
    manager.brokerHeartbeat({ clusterName: 'C1', brokerAddr: 'a:1' }, 1, 2);
    const second = all();
    expect(second.map((kept, index) => kept === first[index])).to.deep.equal([true, true, true]);
    const slave = registration({ name: 'broker-b', addr: 's:1', id: 1, connection: 3, version: version(1) });
    manager.registerBroker(slave, 3);
    const third = all();
    expect(third.map((kept, index) => kept === first[index])).to.deep.equal([true, false, false]);
  });
});
