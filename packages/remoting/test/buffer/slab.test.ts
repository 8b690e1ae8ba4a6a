import { expect } from 'chai';
import fc from 'fast-check';
import { Slab } from '../../src/buffer/slab.js';

describe('Slab', () => {
  it('gives memory that nobody else has, side by side while its slab lasts', () => {
    const slab = new Slab();
    const shares = Array.from({ length: 200 }, (_, i) => slab.allocate(1000).fill(i));
    for (const [i, share] of shares.entries()) expect(share.every((byte) => byte === i)).to.equal(true);
    const adjacent = shares.filter((share, i) => {
      const before = shares[i - 1];
      return before !== undefined && before.buffer === share.buffer && before.byteOffset + 1000 === share.byteOffset;
    });
    expect(adjacent.length).to.be.greaterThan(190);
  });

  it('gives large memory apart', () => {
    const share = new Slab().allocate(10_000);
    expect([share.length, share.buffer.byteLength]).to.deep.equal([10_000, 10_000]);
  });

  it('hands out again what is back, and nothing before all of it is', () => {
    const slab = new Slab();
    const first = slab.allocate(100);
    const second = slab.allocate(50);
    slab.giveBack(first);
    expect(slab.allocate(10).byteOffset).to.equal(150);
    slab.giveBack(second);
    slab.giveBack(new Uint8Array(first.buffer, 150, 10));
    expect(slab.allocate(10).byteOffset).to.equal(0);
  });

  it('takes nothing back that is not its own, as large memory and that of a slab before', () => {
    const slab = new Slab();
    const old = slab.allocate(8_000);
    for (let i = 0; i < 8; i++) slab.allocate(8_000);
    const kept = slab.allocate(8_000);
    for (const bytes of [old, Buffer.alloc(8_000), slab.allocate(10_000)]) slab.giveBack(bytes);
    expect(slab.allocate(1).byteOffset).to.equal(kept.byteOffset + 8_000);
  });

  it('never gives memory to two, whoever gives back what, when and in which parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 9_000 }), fc.nat(3))), (steps) => {
        const slab = new Slab();
        const out: Buffer[] = [];
        for (const [i, [byteLength, back]] of steps.entries()) {
          out.push(slab.allocate(byteLength).fill(i));
          for (let n = 0; n < back && out.length > 0; n++) {
            const bytes = out.splice((i * 7 + n) % out.length, 1)[0] ?? Buffer.alloc(0);
            const cut = bytes.length >> 1;
            slab.giveBack(bytes.subarray(cut));
            slab.giveBack(bytes.subarray(0, cut));
          }
          for (const bytes of out) expect(bytes.every((byte) => byte === bytes[0])).to.equal(true);
          expect(new Set(out.map((bytes) => bytes[0])).size).to.be.at.least(Math.min(out.length, 1));
        }
      }),
    );
  });
});
