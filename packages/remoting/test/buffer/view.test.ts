import { expect } from 'chai';
import { viewOf, wordsOf } from '../../src/buffer/view.js';

describe('a view of a Buffer', () => {
  it('is a Buffer over the same memory', () => {
    const whole = Buffer.from('xxabcdefyy');
    const bytes = whole.subarray(2, 8);
    const view = viewOf(bytes, 1, 4);
    expect(Buffer.isBuffer(view)).to.equal(true);
    expect(view).to.deep.equal(bytes.subarray(1, 4));
    bytes[1] = 0x5a;
    expect(view.toString()).to.equal('Zcd');
    expect(viewOf(bytes, 3, 3)).to.have.length(0);
  });

  it('as words has the same offsets, and is made once for the bytes in use', () => {
    const bytes = Buffer.from('xx\x01\x02\x03\x04\x05yy').subarray(2, 7);
    const words = wordsOf(bytes);
    expect([words.byteLength, words.getInt32(0), words.getInt32(1)]).to.deep.equal([5, 0x01020304, 0x02030405]);
    expect(wordsOf(bytes)).to.equal(words);
    expect(wordsOf(Buffer.from('abcd')).getInt32(0)).to.equal(0x61626364);
    expect(wordsOf(bytes).getInt32(0)).to.equal(0x01020304);
  });
});
