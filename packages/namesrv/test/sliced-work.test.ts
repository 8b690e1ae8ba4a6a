import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import { allAtOnce, SlicedWork, type Steps } from '../src/sliced-work.js';

describe('SlicedWork', () => {
  /** Steps that take so many milliseconds each, by the clock. */
  function* steps(clock: ManualClock, log: string[], name: string, count: number, millis = 0): Steps<string> {
    for (let step = 1; step <= count; step++) {
      log.push(`${name}${step}`);
      clock.advance(millis);
      yield;
    }
    return name;
  }

  function* failingSteps(): Steps<string> {
    yield;
    throw new Error('the step failed');
  }

  /** Two steps, between which they wait. */
  function waitingSteps(log: string[]): { readonly steps: Steps<string>; readonly resolve: () => void } {
    let resolve = (): void => {};
    function* work(): Steps<string> {
      log.push('w1');
      yield new Promise<void>((done) => {
        resolve = done;
      });
      log.push('w2');
      return 'w';
    }
    return { steps: work(), resolve: () => resolve() };
  }

  function turns(): { readonly next: () => Promise<void>; readonly log: string[] } {
    const log: string[] = [];
    return {
      log,
      next: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        log.push('turn');
      },
    };
  }

  it('lets others have their turn before the first step and after each 3 ms', async () => {
    const clock = new ManualClock();
    const { next, log } = turns();
    const result = await new SlicedWork(clock, next).run([{}], steps(clock, log, 'a', 5, 2));
    expect(result).to.equal('a');
    expect(log).to.deep.equal(['turn', 'a1', 'a2', 'turn', 'a3', 'a4', 'turn', 'a5']);
  });

  it('takes the next step only when what one waits for is there, and lets others go on meanwhile', async () => {
    const clock = new ManualClock();
    const { next, log } = turns();
    const work = new SlicedWork(clock, next);
    const { steps: waiting, resolve } = waitingSteps(log);
    const waited = work.run([{}], waiting);
    await work.run([{}], steps(clock, log, 'a', 2, 6));
    expect(log.filter((entry) => entry !== 'turn')).to.deep.equal(['w1', 'a1', 'a2']);
    resolve();
    expect(await waited).to.equal('w');
    expect(log.slice(-2)).to.deep.equal(['turn', 'w2']);
  });

  it('does the works of one owner in order, those of several side by side', async () => {
    const clock = new ManualClock();
    const { next, log } = turns();
    const work = new SlicedWork(clock, next);
    const owner = {};
    await Promise.all([
      work.run([owner], steps(clock, log, 'a', 2, 6)),
      work.run([owner], steps(clock, log, 'b', 2, 6)),
      work.run([{}], steps(clock, log, 'c', 2, 6)),
    ]);
    const order = log.filter((entry) => entry !== 'turn');
    expect(order.filter((entry) => !entry.startsWith('c'))).to.deep.equal(['a1', 'a2', 'b1', 'b2']);
    expect(order.indexOf('c1')).to.be.lessThan(order.indexOf('a2'));
  });

  it('does the works of a line one at a time, also while one waits, and others beside them', async () => {
    const clock = new ManualClock();
    const { next, log } = turns();
    const work = new SlicedWork(clock, next);
    const { steps: waiting, resolve } = waitingSteps(log);
    const inLine = Promise.all([
      work.runInLine([{}], waiting),
      work.runInLine([{}], steps(clock, log, 'a', 2, 6)),
      work.runInLine([{}], failingSteps()).catch(() => log.push('failed')),
      work.runInLine([{}], steps(clock, log, 'b', 2, 6)),
    ]);
    await work.run([{}], steps(clock, log, 'c', 2, 6));
    expect(log.filter((entry) => entry !== 'turn')).to.have.members(['w1', 'c1', 'c2']);
    resolve();
    await inLine;
    expect(log.filter((entry) => entry !== 'turn').slice(3)).to.deep.equal(['w2', 'a1', 'a2', 'failed', 'b1', 'b2']);
  });

  it('does works in order that have one of several owners in common', async () => {
    const clock = new ManualClock();
    const { next, log } = turns();
    const work = new SlicedWork(clock, next);
    await Promise.all([
      work.run(['connection 1', 'group'], steps(clock, log, 'a', 2, 6)),
      work.run(['connection 2', 'group'], steps(clock, log, 'b', 2, 6)),
      work.run(['connection 2', 'other group'], steps(clock, log, 'c', 2, 6)),
    ]);
    expect(log.filter((entry) => entry !== 'turn')).to.deep.equal(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
    expect(work.after('group')).to.equal(undefined);
  });

  it('tells when the works of an owner have ended, also those that failed, and then knows nothing of it', async () => {
    const clock = new ManualClock();
    const work = new SlicedWork(clock);
    const owner = {};
    expect(work.after(owner)).to.equal(undefined);
    const failing = work.run([owner], failingSteps());
    const failure = failing.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(work.after({})).to.equal(undefined);
    await work.after(owner);
    expect(await failure)
      .to.be.an('error')
      .with.property('message', 'the step failed');
    expect(work.after(owner)).to.equal(undefined);
  });

  it('allAtOnce does all steps in the turn it is called in', () => {
    const clock = new ManualClock();
    const log: string[] = [];
    expect(allAtOnce(steps(clock, log, 'a', 3))).to.equal('a');
    expect(log).to.deep.equal(['a1', 'a2', 'a3']);
  });
});
