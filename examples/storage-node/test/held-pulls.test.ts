import { setMaxListeners } from 'node:events';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { HeldPulls } from '../src/held-pulls.js';
import { MessageQueue } from '../src/message-store.js';

/** As a connection's, which any number of requests may listen to. */
function connectionEnd(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const never = connectionEnd().signal;

describe('held pulls', () => {
  let clock: ManualClock;
  let pulls: HeldPulls;
  let queue: MessageQueue;
  let ended: string[];

  beforeEach(() => {
    clock = new ManualClock();
    pulls = new HeldPulls(clock, 1000);
    queue = new MessageQueue('Orders', 0);
    ended = [];
  });

  function hold(name: string, of: MessageQueue, timeoutMillis: number, signal = never): Promise<void> {
    return pulls.wait(of, timeoutMillis, signal).then(() => void ended.push(name));
  }

  it('end at their time, each by its own', async () => {
    void hold('long', queue, 20_000);
    void hold('short', queue, 15_000);
    await clock.advanceAsync(14_999);
    expect(ended).to.deep.equal([]);
    await clock.advanceAsync(1);
    expect(ended).to.deep.equal(['short']);
    await clock.advanceAsync(5_000);
    expect(ended).to.deep.equal(['short', 'long']);
  });

  it('are woken by a message of their queue only, and leave no timer', async () => {
    const woken = [hold('one', queue, 15_000), hold('two', queue, 15_000)];
    void hold('other queue', new MessageQueue('Orders', 1), 15_000);
    expect([pulls.count, clock.pendingTimers]).to.deep.equal([3, 3]);
    pulls.wake(queue);
    await Promise.all(woken);
    expect(ended).to.deep.equal(['one', 'two']);
    expect([pulls.count, clock.pendingTimers]).to.deep.equal([1, 1]);
  });

  it('end with their connection, a thousand on one', async () => {
    const connection = connectionEnd();
    const held = Array.from({ length: 1000 }, () => hold('gone', queue, 15_000, connection.signal));
    connection.abort();
    await Promise.all(held);
    expect([pulls.count, clock.pendingTimers]).to.deep.equal([0, 0]);
    await hold('late', queue, 15_000, connection.signal);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('end when the node does, and none begins after', async () => {
    const held = hold('held', queue, 15_000);
    pulls.close();
    await held;
    await hold('late', queue, 15_000);
    expect(ended).to.deep.equal(['held', 'late']);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('wait for 100 ms beyond their limit, or for less when they said so', async () => {
    for (let i = 0; i < 1000; i++) void hold('held', queue, 15_000);
    void hold('beyond', queue, 15_000);
    void hold('beyond, and short', queue, 50);
    await clock.advanceAsync(50);
    expect(ended).to.deep.equal(['beyond, and short']);
    await clock.advanceAsync(49);
    expect(ended).to.have.length(1);
    await clock.advanceAsync(1);
    expect(ended).to.deep.equal(['beyond, and short', 'beyond']);
    pulls.close();
  });

  it('do not wait without time', async () => {
    await hold('no time', queue, 0);
    await hold('less than none', queue, -1);
    expect([pulls.count, clock.pendingTimers]).to.deep.equal([0, 0]);
  });
});
