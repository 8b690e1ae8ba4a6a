import { expect } from 'chai';
import { allAtOnce, waitFor } from '../src/steps.js';

describe('work in steps', () => {
  it('that waits cannot be done at once, nor go on before what it waits for is there', async () => {
    expect(() => allAtOnce(waitFor(Promise.resolve(1)))).to.throw('cannot be done at once');
    const steps = waitFor(Promise.resolve(1));
    steps.next();
    expect(() => steps.next()).to.throw('before what it waits for was there');
  });

  it('goes on with what it waited for, or with the error that it found', async () => {
    const good = waitFor(Promise.resolve(1));
    await good.next().value;
    expect(good.next()).to.deep.equal({ done: true, value: 1 });
    const bad = waitFor(Promise.reject(new Error('no')));
    await bad.next().value;
    expect(() => bad.next()).to.throw('no');
  });
});
