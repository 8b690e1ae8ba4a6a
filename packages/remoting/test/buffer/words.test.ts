import { expect } from 'chai';
import { lentBytes, lentWords } from '../../src/buffer/read-memory.js';
import { wordsOf } from '../../src/buffer/words.js';

describe('bytes as words', () => {
  it('have the same offsets, and are made once for the bytes in use', () => {
    const bytes = Buffer.from('xx\x01\x02\x03\x04\x05yy').subarray(2, 7);
    const words = wordsOf(bytes);
    expect([words.byteLength, words.getInt32(0), words.getInt32(1)]).to.deep.equal([5, 0x01020304, 0x02030405]);
    expect(wordsOf(bytes)).to.equal(words);
    expect(wordsOf(Buffer.from('abcd')).getInt32(0)).to.equal(0x61626364);
    expect(wordsOf(bytes).getInt32(0)).to.equal(0x01020304);
  });

  it('are made once for all bytes that are lent', () => {
    const bytes = lentBytes(5);
    bytes.set([1, 2, 3, 4, 5]);
    expect(wordsOf(bytes)).to.equal(lentWords);
    expect(wordsOf(bytes).getInt32(1)).to.equal(0x02030405);
  });
});
