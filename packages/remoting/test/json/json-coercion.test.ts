import { expect } from 'chai';
import { DecodeError } from '../../src/errors.js';
import { toArray, toBoolean, toInt32, toLongValue, toObject, toText } from '../../src/json/json-coercion.js';
import type { JsonValue } from '../../src/json/json-value.js';

type Row = [value: JsonValue | undefined, expected: unknown];

const show = (value: unknown): string =>
  typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(JSON.stringify(value));

const tables: [string, (value: JsonValue | undefined, name: string) => unknown, Row[], JsonValue[]][] = [
  [
    'toInt32',
    toInt32,
    [
      [undefined, undefined],
      [null, undefined],
      ['', undefined],
      ['null', undefined],
      [16, 16],
      ['16', 16],
      ['-7', -7],
      ['+7', 7],
      ['6.0', 6],
      ['6.', 6],
      ['-1,000.00', -1000],
      [6.9, 6],
      [-6.9, -6],
      [-0.5, 0],
      [true, 1],
      [false, 0],
      [2147483647, 2147483647],
      [-2147483648, -2147483648],
    ],
    ['x', ' 1', '6.9', '.0', ',', '6.0 ', '2147483648', 2147483648, -2147483649, 2n ** 63n, 1e300, Infinity, [], {}],
  ],
  [
    'toLongValue',
    toLongValue,
    [
      [undefined, undefined],
      [null, undefined],
      ['', undefined],
      [1700000000000, 1700000000000],
      ['1700000000000', 1700000000000],
      ['9007199254740993', 9007199254740993n],
      [9007199254740993n, 9007199254740993n],
      [2n ** 63n - 1n, 2n ** 63n - 1n],
      [5n, 5],
      [1e18, 1000000000000000000n],
      [6.9, 6],
      [-0, 0],
      [true, 1],
    ],
    ['x', 2n ** 63n, -(2n ** 63n) - 1n, '9223372036854775808', 1e19, Infinity, [], {}],
  ],
  [
    'toBoolean',
    toBoolean,
    [
      [undefined, undefined],
      [null, undefined],
      ['', undefined],
      [true, true],
      [false, false],
      ['true', true],
      ['TRUE', true],
      ['false', false],
      ['1', true],
      ['0', false],
      [1, true],
      [0, false],
      [2, false],
      [1.9, true],
      [0.5, false],
      [-2_147_483_648, false],
    ],
    ['yes', 'truely', 2_147_483_648, -2_147_483_649, 2n ** 60n, [], {}],
  ],
  [
    'toText',
    toText,
    [
      [undefined, undefined],
      [null, null],
      ['', ''],
      ['a', 'a'],
      [1, '1'],
      [9007199254740993n, '9007199254740993'],
      [true, 'true'],
      [{ x: 1 }, '{"x":1}'],
      [[1, null], '[1,null]'],
    ],
    [],
  ],
  [
    'toObject',
    toObject,
    [
      [undefined, undefined],
      [null, null],
      ['', null],
      [[], null],
      [{ a: 1 }, { a: 1 }],
    ],
    [1, true, 'x', [1]],
  ],
  [
    'toArray',
    toArray,
    [
      [undefined, undefined],
      [null, null],
      ['', null],
      [[], []],
      [
        [1, 'a'],
        [1, 'a'],
      ],
    ],
    [1, true, 'x', {}],
  ],
];

for (const [name, convert, accepted, refused] of tables) {
  describe(name, () => {
    for (const [value, expected] of accepted) {
      it(`turns ${show(value)} into ${show(expected)}`, () => {
        const result = convert(value, 'perm');
        expect(result).to.deep.equal(expected);
        expect(Object.is(result, -0)).to.equal(false);
      });
    }
    for (const value of refused) {
      it(`refuses ${show(value)}`, () => {
        expect(() => convert(value, 'perm')).to.throw(DecodeError, /^the JSON property perm should be an? .* but is /);
      });
    }
  });
}
