import { expect } from 'chai';
import { encodeUtf8 } from '../../src/buffer/utf8.js';

describe('encodeUtf8', () => {
  it('writes text as UTF-8', () => {
    expect(encodeUtf8('').length).to.equal(0);
    expect(encodeUtf8('abc').toString('hex')).to.equal('616263');
    expect(encodeUtf8('é🐇').toString('hex')).to.equal('c3a9f09f9087');
  });

  it('writes an unpaired surrogate as a question mark, as Java does', () => {
    expect(encodeUtf8('a\ud800b\udc00🐇\ud83d').toString()).to.equal('a?b?🐇?');
  });
});
