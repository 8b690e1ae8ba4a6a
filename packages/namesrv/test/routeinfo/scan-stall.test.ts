import { expect } from 'chai';
import { describe, it } from 'mocha';
import { scanStallMillis } from '../../src/routeinfo/scan-stall.js';

describe('scanStallMillis', () => {
  for (const [what, last, now, stall] of [
    ['the first scan', undefined, 500_000, 0],
    ['a punctual scan', 10_000, 20_000, 0],
    ['a scan that comes early', 10_000, 11_000, 0],
    ['a scan one period late', 10_000, 30_000, 0],
    ['a scan more than one period late', 10_000, 30_001, 10_001],
    ['a scan after five minutes', 10_000, 310_000, 290_000],
  ] as const) {
    it(`${what} shifts the deadlines by ${stall} ms`, () => {
      expect(scanStallMillis(last, now, 10_000)).to.equal(stall);
    });
  }
});
