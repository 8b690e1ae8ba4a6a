import { expect } from 'chai';
import { QueueLocks } from '../src/queue-locks.js';

describe('the locks of queues', () => {
  let locks: QueueLocks;

  beforeEach(() => {
    locks = new QueueLocks(2);
  });

  it('are granted to one client of a group, and to one of each group', () => {
    expect(locks.tryLock('g', 'a', 'Orders', 0, 0)).to.equal(true);
    expect(locks.tryLock('g', 'a', 'Orders', 0, 1)).to.equal(true);
    expect(locks.tryLock('g', 'b', 'Orders', 0, 2)).to.equal(false);
    expect(locks.tryLock('h', 'b', 'Orders', 0, 3)).to.equal(true);
  });

  it('are free 60 s after they were last renewed', () => {
    locks.tryLock('g', 'a', 'Orders', 0, 0);
    locks.tryLock('g', 'a', 'Orders', 0, 20_000);
    expect(locks.tryLock('g', 'b', 'Orders', 0, 79_999)).to.equal(false);
    expect(locks.tryLock('g', 'b', 'Orders', 0, 80_000)).to.equal(true);
    expect(locks.tryLock('g', 'a', 'Orders', 0, 80_001)).to.equal(false);
  });

  it('are given back only by who has them', () => {
    locks.tryLock('g', 'a', 'Orders', 0, 0);
    locks.unlock('g', 'b', 'Orders', 0);
    expect(locks.tryLock('g', 'b', 'Orders', 0, 1)).to.equal(false);
    locks.unlock('g', 'a', 'Orders', 0);
    expect(locks.tryLock('g', 'b', 'Orders', 0, 1)).to.equal(true);
  });

  it('are not granted beyond their limit, until expired ones were forgotten', () => {
    locks.tryLock('g', 'a', 'Orders', 0, 0);
    locks.tryLock('g', 'a', 'Orders', 1, 30_000);
    expect(locks.tryLock('g', 'a', 'Orders', 2, 30_000)).to.equal(false);
    locks.expire(60_000);
    expect(locks.tryLock('g', 'a', 'Orders', 2, 60_000)).to.equal(true);
    expect(locks.tryLock('g', 'b', 'Orders', 1, 60_000)).to.equal(false);
  });
});
