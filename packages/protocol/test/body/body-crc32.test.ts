import { expect } from 'chai';
import crc32 from 'crc-32';
import { bodyCrc32 } from '../../src/index.js';

describe('bodyCrc32', () => {
  it('is CRC-32 without its top bit', () => {
    expect(bodyCrc32(Buffer.from('123456789'))).to.equal(1274296614);
  });

  it('is 0 of no body and of an empty one', () => {
    expect(bodyCrc32(undefined)).to.equal(0);
    expect(bodyCrc32(new Uint8Array(0))).to.equal(0);
  });

  it('gives the same below and above the size at which native code takes over', () => {
    for (const length of [4095, 4096, 4097, 70000]) {
      const body = Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
      expect(bodyCrc32(body), `${length} bytes`).to.equal(crc32.buf(body) & 0x7fffffff);
    }
  });
});
