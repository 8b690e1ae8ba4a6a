import { expect } from 'chai';
import { CoalescedTask } from '../../src/client/coalesced-task.js';

describe('CoalescedTask', () => {
  it('has one run under way and at most one waiting, however many ask', async () => {
    const task = new CoalescedTask();
    let [runs, running] = [0, 0];
    const run = async (): Promise<void> => {
      runs++;
      running++;
      expect(running).to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await Promise.all(Array.from({ length: 50 }, () => task.run(run)));
    expect(runs).to.equal(2);
    await task.run(run);
    expect(runs).to.equal(3);
  });

  it('tells those who asked that their run failed, and goes on', async () => {
    const task = new CoalescedTask();
    const first = task.run(() => Promise.reject(new Error('no'))).catch((error: Error) => error.message);
    const second = task.run(async () => {});
    expect([await first, await second]).to.deep.equal(['no', undefined]);
  });
});
