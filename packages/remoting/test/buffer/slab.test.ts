import { expect } from 'chai';
import { allocateShare } from '../../src/buffer/slab.js';

describe('allocateShare', () => {
  it('gives memory that nobody else has, side by side while its slab lasts', () => {
    const shares = Array.from({ length: 200 }, (_, i) => allocateShare(1000).fill(i));
    for (const [i, share] of shares.entries()) expect(share.every((byte) => byte === i)).to.equal(true);
    const adjacent = shares.filter((share, i) => {
      const before = shares[i - 1];
      return before !== undefined && before.buffer === share.buffer && before.byteOffset + 1000 === share.byteOffset;
    });
    expect(adjacent.length).to.be.greaterThan(190);
  });

  it('gives large memory apart', () => {
    const share = allocateShare(10_000);
    expect([share.length, share.buffer.byteLength]).to.deep.equal([10_000, 10_000]);
  });
});
