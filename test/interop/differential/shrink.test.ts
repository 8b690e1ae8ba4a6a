import { expect } from 'chai';
import { shrink, shrinkByKind } from './shrink.js';

/** Fails where all of these are in it. */
const needs =
  (...wanted: number[]) =>
  async (candidate: readonly number[]): Promise<boolean> =>
    wanted.every((item) => candidate.includes(item));

const hundred = Array.from({ length: 100 }, (_, index) => index);

describe('shrinking a failing sequence', () => {
  it('leaves what the failure needs, and the last item', async () => {
    expect(await shrink(hundred, needs(3, 57, 58), { runs: 1000 })).to.deep.equal([3, 57, 58, 99]);
  });

  it('takes whole kinds away in one run each', async () => {
    const budget = { runs: 3 };
    const kindOf = (item: number): string => String(item % 3);
    expect(await shrinkByKind(hundred, kindOf, needs(4), budget)).to.deep.equal(
      hundred.filter((item) => item % 3 === 1 || item === 99),
    );
    expect(budget.runs).to.equal(0);
  });

  it('stops when its runs are used up', async () => {
    const budget = { runs: 2 };
    expect(await shrink(hundred, needs(3), budget)).to.have.length.below(100);
    expect(budget.runs).to.equal(0);
  });
});
