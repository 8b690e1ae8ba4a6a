import { expect } from 'chai';
import fc from 'fast-check';
import { DialBackoff } from '../../src/client/dial-backoff.js';

const options = { initialMillis: 1_000, maxMillis: 10_000, multiplier: 2, jitter: 0.2 };

/** When a caller that dials whenever it may dials an address that never answers. */
function dials(untilMillis: number, random: () => number): number[] {
  const backoff = new DialBackoff(options, random);
  const times: number[] = [];
  for (let now = 0; now < untilMillis; now += Math.max(1, backoff.waitMillis(now))) {
    times.push(now);
    backoff.failed(now, new Error('down'));
  }
  return times;
}

describe('DialBackoff', () => {
  it('lets the first retry be made at once, and later ones after growing waits up to the longest', () => {
    expect(dials(40_000, () => 0)).to.deep.equal([0, 1, 1_001, 3_001, 7_001, 15_001, 25_001, 35_001]);
  });

  it('is over as soon as a dial succeeds in its table, and knows how many failed and why', () => {
    const backoff = new DialBackoff(options, () => 0);
    for (const text of ['a', 'b']) backoff.failed(5, new Error(text));
    expect([backoff.failures, (backoff.lastError as Error).message, backoff.waitMillis(5)]).to.deep.equal([
      2,
      'b',
      1_000,
    ]);
    expect(backoff.waitMillis(1_005)).to.equal(0);
  });

  it('lets a dead address be dialled at most ten times in any minute (W24)', () => {
    const random = fc.double({ min: 0, max: 0.999_999, noNaN: true });
    fc.assert(
      fc.property(fc.array(random, { minLength: 60, maxLength: 60 }), (numbers) => {
        let next = 0;
        const times = dials(300_000, () => numbers[next++ % 60] as number);
        for (const since of times) {
          expect(times.filter((time) => time >= since && time < since + 60_000)).to.have.length.at.most(10);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('spreads the dials of 200 clients, so that no tenth of a wait gets a crowd, and has all back within one wait (W24)', () => {
    for (let client = 0; client < 200; client++) {
      const times = dials(60_000, Math.random);
      expect(times.filter((time) => time < 30_000)).to.have.length.at.most(10);
      // The server is back after 30 s: the next dial finds it.
      expect(times.find((time) => time >= 30_000)).to.be.at.most(30_000 + 10_000 * 1.2);
    }
    const phases = Array.from({ length: 200 }, () => (dials(60_000, Math.random)[6] as number) % 1_000);
    const bins = Array.from({ length: 10 }, (_, i) => phases.filter((phase) => Math.floor(phase / 100) === i).length);
    const chiSquare = bins.reduce((sum, seen) => sum + (seen - 20) ** 2 / 20, 0);
    // Nine degrees of freedom: even spread exceeds this once in ten million runs.
    expect(chiSquare, bins.join()).to.be.below(52);
  });
});
