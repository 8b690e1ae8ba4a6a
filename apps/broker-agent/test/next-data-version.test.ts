import { expect } from 'chai';
import fc from 'fast-check';
import { isLastDataVersion, nextDataVersion } from '../src/next-data-version.js';

const version = (counter: number | bigint, timestamp: number, stateVersion = 0) => ({
  counter,
  timestamp,
  stateVersion,
});

describe('nextDataVersion', () => {
  for (const [what, previous, source, now, next] of [
    ['starts at 0 without a source', undefined, undefined, 50, version(0, 50)],
    ["starts at the source's", undefined, version(7, 40, 2), 50, version(7, 40, 2)],
    ['counts on', version(3, 40), undefined, 50, version(4, 50)],
    ['counts on when the clock was set back', version(3, 40), undefined, 30, version(4, 40)],
    ["follows the source's when that is newer", version(3, 40), version(9, 45, 1), 50, version(9, 45, 1)],
    ['follows a newer source without going back in time', version(3, 40, 2), version(9, 20, 1), 50, version(9, 40, 2)],
    ['counts on past an older source', version(9, 40), version(3, 45), 50, version(10, 50)],
    ['counts on past a source that is the same', version(9, 40), version(9, 45), 50, version(10, 50)],
    ['is exact beyond 2^53', version(Number.MAX_SAFE_INTEGER, 40), undefined, 50, version(9007199254740992n, 50)],
  ] as const)
    it(what, () => {
      expect(nextDataVersion(previous, source, now)).to.deep.equal(next);
    });

  const max = 9223372036854775807n;
  for (const [what, previous, now, next] of [
    ['comes to the highest counter', version(max - 1n, 40), 50, version(max, 50)],
    ['keeps the highest counter, at a later time', version(max, 40), 50, version(max, 50)],
    [
      'keeps the highest counter, at the next millisecond when the clock stands',
      version(max, 40),
      40,
      version(max, 41),
    ],
  ] as const)
    it(what, () => {
      expect(nextDataVersion(previous, undefined, now)).to.deep.equal(next);
      expect(isLastDataVersion(next)).to.equal(true);
    });

  it('is the last one at the highest counter only', () => {
    expect(isLastDataVersion(version(max - 1n, 1))).to.equal(false);
    expect(isLastDataVersion(version(0, 1))).to.equal(false);
  });

  it('is newer in its counter and older in nothing, whatever clock and source say', () => {
    const small = fc.nat(20);
    const versions = fc.record({ counter: small, timestamp: small, stateVersion: small });
    fc.assert(
      fc.property(versions, fc.option(versions, { nil: undefined }), small, (previous, source, now) => {
        const next = nextDataVersion(previous, source, now);
        expect(Number(next.counter)).to.be.greaterThan(previous.counter);
        expect(Number(next.timestamp)).to.be.at.least(previous.timestamp);
        expect(Number(next.stateVersion)).to.be.at.least(previous.stateVersion);
      }),
    );
  });
});
