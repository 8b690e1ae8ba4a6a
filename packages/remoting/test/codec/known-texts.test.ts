import { expect } from 'chai';
import fc from 'fast-check';
import { KnownTexts } from '../../src/codec/known-texts.js';

const ascii = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});

describe('KnownTexts', () => {
  it('gives the text that is there, whatever was asked for before', () => {
    const texts = new KnownTexts();
    fc.assert(
      fc.property(fc.array(ascii, { minLength: 1 }), fc.nat(9), (asked, before) => {
        for (const text of asked) {
          const bytes = Buffer.from(`${'-'.repeat(before)}${text}-`);
          expect(texts.in(bytes, before, before + text.length)).to.equal(text);
        }
      }),
    );
  });

  it('makes a text once, wherever it lies', () => {
    const texts = new KnownTexts();
    for (let at = 0; at < 8; at++) {
      for (const text of ['"topic":"Orders"}', '"topic":"Orderz"}', '"topic":"orders"}', '']) {
        const bytes = Buffer.from(`${' '.repeat(at)}${text}`);
        expect(texts.in(bytes, at, bytes.length)).to.equal(text);
      }
    }
    expect(texts.made).to.equal(4);
  });

  it('makes texts that are long, or lie in what is large, each time', () => {
    const texts = new KnownTexts();
    const long = 'x'.repeat(257);
    for (let i = 0; i < 2; i++) {
      expect(texts.in(Buffer.from(long), 0, 257)).to.equal(long);
      expect(texts.in(Buffer.alloc(100_000, 'y'), 7, 9)).to.equal('yy');
    }
    expect(texts.made).to.equal(4);
  });

  it('spreads the topics of a cluster over its slots', () => {
    const texts = new KnownTexts();
    const ask = (): void => {
      for (let i = 0; i < 500; i++) {
        const bytes = Buffer.from(`"acceptStandardJsonOnly":"true","topic":"topic-${i}"}`);
        texts.in(bytes, 0, bytes.length);
      }
    };
    ask();
    ask();
    // Three that share two slots are made anew each time; few do.
    expect(texts.made).to.be.below(550);
  });
});
