import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { BatchUnregistration } from '../src/batch-unregistration.js';
import type { UnregisterBrokerRequest } from '../src/routeinfo/route-info-manager.js';
import { SlicedWork } from '../src/sliced-work.js';
import { recordingLogger } from './name-server-fixture.js';

const leaving = (brokerName: string): UnregisterBrokerRequest => ({
  clusterName: 'C1',
  brokerName,
  brokerAddr: `${brokerName}:10911`,
  brokerId: 0,
});

describe('BatchUnregistration', () => {
  function make(unregister: (brokerName: string) => void, capacity = 3_000) {
    const { logger, lines } = recordingLogger();
    const slicedWork = new SlicedWork(new ManualClock());
    const batch = new BatchUnregistration({
      capacity,
      unregister: ({ brokerName }) => unregister(brokerName),
      slicedWork,
      logger,
    });
    return { batch, lines };
  }

  it('carries out in the next turn, in order, what it took in this one', async () => {
    const done: string[] = [];
    const { batch } = make((name) => done.push(name));
    expect(batch.settled()).to.equal(undefined);
    for (const name of ['a', 'b', 'a']) expect(batch.submit(leaving(name))).to.equal(true);
    expect(done).to.deep.equal([]);
    await batch.settled();
    expect(done).to.deep.equal(['a', 'b', 'a']);
    expect(batch.settled()).to.equal(undefined);
  });

  it('goes on after one that fails, and says which', async () => {
    const done: string[] = [];
    const { batch, lines } = make((name) => {
      if (name === 'bad') throw new Error('the tables are torn');
      done.push(name);
    });
    for (const name of ['a', 'bad', 'b']) batch.submit(leaving(name));
    await batch.settled();
    expect(done).to.deep.equal(['a', 'b']);
    expect(lines.map(({ level, message }) => ({ level, message }))).to.deep.equal([
      {
        level: 'error',
        message: 'the broker bad:10911 could not be unregistered; it stays until its connection ends or it expires',
      },
    ]);
  });

  it('takes no more than may wait, and more once a batch has begun', async () => {
    const done: string[] = [];
    const { batch } = make((name) => done.push(name), 2);
    expect(['a', 'b', 'c'].map((name) => batch.submit(leaving(name)))).to.deep.equal([true, true, false]);
    await batch.settled();
    expect(batch.submit(leaving('d'))).to.equal(true);
    await batch.settled();
    expect(done).to.deep.equal(['a', 'b', 'd']);
  });

  it('is waited for by those who came before a flood of further ones only as far as that', async () => {
    let left = 100;
    const { batch } = make(() => {
      if (left-- > 0) batch.submit(leaving('a'));
    });
    batch.submit(leaving('a'));
    await batch.settled();
    expect(left).to.be.greaterThan(90);
    while (batch.settled() !== undefined) await batch.settled();
    expect(left).to.equal(-1);
  });
});
