import { CommandError } from '@rmqns/remoting';
import { expect } from 'chai';
import { ConsumerOffsets, type GroupQueue, QueueLocks } from '../src/consumer-progress.js';

const queueOf = (consumerGroup: string, queueId: number): GroupQueue => ({ consumerGroup, topic: 'Orders', queueId });

describe('the offsets of groups', () => {
  it('are kept for each group and queue, up to a limit', () => {
    const offsets = new ConsumerOffsets(2);
    offsets.commit(queueOf('g', 0), 5);
    offsets.commit(queueOf('h', 0), 6);
    expect(() => offsets.commit(queueOf('g', 1), 7)).to.throw(CommandError, '2 offsets of groups are kept already');
    offsets.commit(queueOf('g', 0), 3);
    expect([queueOf('g', 0), queueOf('h', 0), queueOf('g', 1)].map((queue) => offsets.query(queue))).to.deep.equal([
      3,
      6,
      undefined,
    ]);
  });

  it('are not kept below 0, nor for a name of more than 255 characters', () => {
    const offsets = new ConsumerOffsets(2);
    offsets.commit(queueOf('g'.repeat(255), 0), 1);
    expect(() => offsets.commit(queueOf('g'.repeat(256), 0), 1)).to.throw(CommandError, 'a name has 256 characters');
    expect(() => offsets.commit(queueOf('g', 0), -1)).to.throw(CommandError, 'the offset -1 is below 0');
  });
});

describe('the locks of queues', () => {
  let locks: QueueLocks;

  beforeEach(() => {
    locks = new QueueLocks(2);
  });

  it('are granted to one client of a group, and to one of each group', () => {
    expect(locks.tryLock(queueOf('g', 0), 'a', 0)).to.equal(true);
    expect(locks.tryLock(queueOf('g', 0), 'a', 1)).to.equal(true);
    expect(locks.tryLock(queueOf('g', 0), 'b', 2)).to.equal(false);
    expect(locks.tryLock(queueOf('h', 0), 'b', 3)).to.equal(true);
  });

  it('are free 60 s after they were last renewed', () => {
    locks.tryLock(queueOf('g', 0), 'a', 0);
    locks.tryLock(queueOf('g', 0), 'a', 20_000);
    expect(locks.tryLock(queueOf('g', 0), 'b', 79_999)).to.equal(false);
    expect(locks.tryLock(queueOf('g', 0), 'b', 80_000)).to.equal(true);
    expect(locks.tryLock(queueOf('g', 0), 'a', 80_001)).to.equal(false);
  });

  it('are given back only by who has them', () => {
    locks.tryLock(queueOf('g', 0), 'a', 0);
    locks.unlock(queueOf('g', 0), 'b');
    expect(locks.tryLock(queueOf('g', 0), 'b', 1)).to.equal(false);
    locks.unlock(queueOf('g', 0), 'a');
    expect(locks.tryLock(queueOf('g', 0), 'b', 1)).to.equal(true);
  });

  it('are not granted beyond their limit, until expired ones were forgotten', () => {
    locks.tryLock(queueOf('g', 0), 'a', 0);
    locks.tryLock(queueOf('g', 1), 'a', 30_000);
    expect(locks.tryLock(queueOf('g', 2), 'a', 30_000)).to.equal(false);
    locks.expire(60_000);
    expect(locks.tryLock(queueOf('g', 2), 'a', 60_000)).to.equal(true);
    expect(locks.tryLock(queueOf('g', 1), 'b', 60_000)).to.equal(false);
  });
});
