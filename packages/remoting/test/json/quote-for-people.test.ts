import { expect } from 'chai';
import { quoteForPeople } from '../../src/json/quote-for-people.js';

describe('quoteForPeople', () => {
  it('shows a short text in quotes', () => {
    expect(quoteForPeople('TopicA')).to.equal('"TopicA"');
    expect(quoteForPeople('')).to.equal('""');
    expect(quoteForPeople('主题 "é"')).to.equal('"主题 \\"é\\""');
  });

  it('cuts a long text', () => {
    expect(quoteForPeople('n'.repeat(64))).to.equal(`"${'n'.repeat(64)}"`);
    expect(quoteForPeople('n'.repeat(65))).to.equal(`"${'n'.repeat(64)}…"`);
    expect(quoteForPeople('abcdef', 3)).to.equal('"abc…"');
    expect(quoteForPeople('a\u{1f600}b', 2)).to.equal('"a\\ud83d…"');
  });

  it('escapes what would break or turn the line', () => {
    expect(quoteForPeople('a\nb\r\u0000\u001b\u007f\u0085\u2028\u202e\ufeff')).to.equal(
      '"a\\nb\\r\\u0000\\u001b\\u007f\\u0085\\u2028\\u202e\\ufeff"',
    );
  });
});
