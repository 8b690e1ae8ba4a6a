import { expect } from 'chai';
import { ReconnectBackoff } from '../src/reconnect-backoff.js';

describe('ReconnectBackoff', () => {
  const eight = (backoff: ReconnectBackoff): number[] => Array.from({ length: 8 }, () => backoff.nextMillis());

  it('waits from 100 ms on twice as long each time, 1.5 s at most', () => {
    expect(eight(new ReconnectBackoff(() => 0, 3_000))).to.deep.equal([100, 200, 400, 800, 1_500, 1_500, 1_500, 1_500]);
  });

  it('waits up to 5 s for one that says yes and hangs up', () => {
    const backoff = new ReconnectBackoff(() => 0, 3_000);
    for (let times = 0; times < 3; times += 1) backoff.lost(0);
    expect(eight(backoff)).to.deep.equal([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  });

  it('is longer by chance, by up to the jitter, and never longer than its longest', () => {
    expect(eight(new ReconnectBackoff(() => 0.5, 3_000))).to.deep.equal([
      800, 850, 950, 1_150, 1_500, 1_500, 1_500, 1_500,
    ]);
    expect(eight(new ReconnectBackoff(() => 0.5, 200))).to.deep.equal([200, 300, 500, 900, 1_500, 1_500, 1_500, 1_500]);
    expect(Math.max(...eight(new ReconnectBackoff(() => 1, 60_000)))).to.equal(1_500);
    const flapping = new ReconnectBackoff(() => 1, 60_000);
    for (let times = 0; times < 3; times += 1) flapping.lost(0);
    expect(eight(flapping)).to.deep.equal([5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
    expect(eight(new ReconnectBackoff(() => 1, 0))).to.deep.equal([100, 200, 400, 800, 1_500, 1_500, 1_500, 1_500]);
  });

  it('begins anew after a connection that lasted 10 s, and not after a shorter one', () => {
    const backoff = new ReconnectBackoff(() => 0, 3_000);
    eight(backoff);
    backoff.lost(9_999);
    expect(backoff.nextMillis()).to.equal(1_500);
    backoff.lost(10_000);
    expect(backoff.nextMillis()).to.equal(100);
  });

  it('tells once of the third short connection in a row', () => {
    const backoff = new ReconnectBackoff(() => 0, 3_000);
    expect([0, 9_999, 0, 0].map((millis) => backoff.lost(millis))).to.deep.equal([false, false, true, false]);
    expect(backoff.shortConnections).to.equal(4);
    expect([10_000, 0, 0, 0].map((millis) => backoff.lost(millis))).to.deep.equal([false, false, false, true]);
  });
});
