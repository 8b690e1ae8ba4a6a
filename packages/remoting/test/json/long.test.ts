import { expect } from 'chai';
import { type Long, parseInt32, parseLong, toLong } from '../../src/json/long.js';

describe('Long', () => {
  const rows: [string, Long | undefined][] = [
    ['0', 0],
    ['-0', 0],
    ['+5', 5],
    ['007', 7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['+9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', undefined],
    ['-9223372036854775809', undefined],
    [`${'0'.repeat(40)}1`, 1],
    ['1'.repeat(65), undefined],
    ['', undefined],
    ['+', undefined],
    [' 1', undefined],
    ['1.0', undefined],
    ['0x10', undefined],
    ['1_000', undefined],
    ['1\n', undefined],
  ];
  for (const [text, expected] of rows) {
    it(`parses ${JSON.stringify(text)} as ${expected}`, () => {
      const value = parseLong(text);
      expect(value).to.equal(expected);
      expect(Object.is(value, -0)).to.equal(false);
    });
  }

  it('parses 32 bits', () => {
    expect(parseInt32('2147483647')).to.equal(2147483647);
    expect(parseInt32('-2147483648')).to.equal(-2147483648);
    expect(parseInt32('2147483648')).to.equal(undefined);
    expect(parseInt32('9223372036854775807')).to.equal(undefined);
  });

  it('makes a bigint canonical', () => {
    expect(toLong(5n)).to.equal(5);
    expect(toLong(2n ** 53n)).to.equal(2n ** 53n);
    expect(toLong(2n ** 63n)).to.equal(undefined);
  });
});
