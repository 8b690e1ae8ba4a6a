import { expect } from 'chai';
import { viewOf } from '../../src/buffer/view.js';

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
});
