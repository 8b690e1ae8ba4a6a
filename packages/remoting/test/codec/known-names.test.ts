import { expect } from 'chai';
import fc from 'fast-check';
import { nameIn } from '../../src/codec/known-names.js';

describe('nameIn', () => {
  it('gives the name that is there, whatever was asked for before', () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 70,
    });
    fc.assert(
      fc.property(fc.array(ascii), (names) => {
        for (const name of names) expect(nameIn(Buffer.from(`"${name}"`), 1, name.length + 1)).to.equal(name);
      }),
    );
  });
});
