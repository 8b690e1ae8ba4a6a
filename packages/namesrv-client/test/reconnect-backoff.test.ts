import { expect } from 'chai';
import { ReconnectBackoff } from '../src/reconnect-backoff.js';

describe('ReconnectBackoff', () => {
  const eight = (backoff: ReconnectBackoff): number[] => Array.from({ length: 8 }, () => backoff.nextMillis());

  it('waits from 100 ms on twice as long each time, 5 s at most', () => {
    expect(eight(new ReconnectBackoff(() => 0))).to.deep.equal([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('takes off up to half by chance', () => {
    expect(eight(new ReconnectBackoff(() => 0.5))[0]).to.equal(75);
    expect(eight(new ReconnectBackoff(() => 1))[7]).to.equal(2_500);
  });

  it('begins anew after a reset', () => {
    const backoff = new ReconnectBackoff(() => 0);
    eight(backoff);
    backoff.reset();
    expect(backoff.nextMillis()).to.equal(100);
  });
});
