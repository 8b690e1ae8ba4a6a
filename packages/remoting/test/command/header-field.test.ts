import { expect } from 'chai';
import fc from 'fast-check';
import { type HeaderField, t } from '../../src/command/header-field.js';

type Parsed = [text: string, expected: unknown];

const parsing: [string, HeaderField<unknown>, Parsed[]][] = [
  [
    'string',
    t.string() as HeaderField<unknown>,
    [
      ['', ''],
      [' a ', ' a '],
    ],
  ],
  [
    'int',
    t.int() as HeaderField<unknown>,
    [
      ['2333', 2333],
      ['-1', -1],
      ['+7', 7],
      ['', undefined],
      [' 1', undefined],
      ['1.0', undefined],
      ['0x1', undefined],
      ['1_0', undefined],
      ['-2147483648', -2147483648],
      ['2147483648', undefined],
    ],
  ],
  [
    'long',
    t.long() as HeaderField<unknown>,
    [
      ['23333333', 23333333],
      ['9007199254740993', 9007199254740993n],
      ['-9223372036854775808', -9223372036854775808n],
      ['9223372036854775808', undefined],
      ['+7', 7],
      ['007', 7],
      [' 7', undefined],
      ['0x7', undefined],
      ['7_0', undefined],
      ['', undefined],
      ['x', undefined],
    ],
  ],
  [
    'boolean',
    t.boolean() as HeaderField<unknown>,
    [
      ['true', true],
      ['TrUe', true],
      ['false', false],
      ['1', false],
      ['', false],
    ],
  ],
  [
    'double',
    t.double() as HeaderField<unknown>,
    [
      ['0.618', 0.618],
      ['1.0E10', 1e10],
      [' 1. ', 1],
      ['.5f', 0.5],
      ['-Infinity', Number.NEGATIVE_INFINITY],
      ['NaN', Number.NaN],
      ['1,5', undefined],
      ['1e', undefined],
      ['', undefined],
      ['.', undefined],
      ['1'.repeat(513), undefined],
    ],
  ],
];

describe('t', () => {
  for (const [kind, field, rows] of parsing) {
    for (const [text, expected] of rows) {
      it(`parses ${JSON.stringify(text.slice(0, 20))} as ${kind}: ${String(expected)}`, () => {
        expect(field.parse(text)).to.deep.equal(expected);
      });
    }
  }

  const formatting: [string, HeaderField<never>, [unknown, string | undefined][]][] = [
    [
      'string',
      t.string() as HeaderField<never>,
      [
        ['a', 'a'],
        [1, undefined],
      ],
    ],
    [
      'int',
      t.int() as HeaderField<never>,
      [
        [-5, '-5'],
        [-0, '0'],
        [2147483648, undefined],
        [1.5, undefined],
        ['5', undefined],
        [true, undefined],
        [Number.NaN, undefined],
      ],
    ],
    [
      'long',
      t.long() as HeaderField<never>,
      [
        [5, '5'],
        [-0, '0'],
        [9007199254740993n, '9007199254740993'],
        [2n ** 63n, undefined],
        [1.5, undefined],
        [1e21, undefined],
        ['5', undefined],
      ],
    ],
    [
      'boolean',
      t.boolean() as HeaderField<never>,
      [
        [true, 'true'],
        [false, 'false'],
        ['true', undefined],
        [1, undefined],
      ],
    ],
    [
      'double',
      t.double() as HeaderField<never>,
      [
        [0.618, '0.618'],
        [1, '1.0'],
        [0, '0.0'],
        [-0, '-0.0'],
        [100, '100.0'],
        [9999999, '9999999.0'],
        [1e7, '1.0E7'],
        [1e10, '1.0E10'],
        [12345678.9, '1.23456789E7'],
        [0.001, '0.001'],
        [0.00012, '1.2E-4'],
        [-1e21, '-1.0E21'],
        [Number.NaN, 'NaN'],
        [Number.POSITIVE_INFINITY, 'Infinity'],
        ['1', undefined],
      ],
    ],
  ];
  for (const [kind, field, rows] of formatting) {
    for (const [value, expected] of rows) {
      const shown = Object.is(value, -0) ? '-0' : typeof value === 'string' ? JSON.stringify(value) : String(value);
      it(`writes the ${kind} ${shown} as ${expected}`, () => {
        expect(field.format(value as never)).to.equal(expected);
      });
    }
  }

  it('reads the doubles and longs that it wrote', () => {
    const double = t.double();
    const long = t.long();
    fc.assert(fc.property(fc.double(), (value) => Object.is(double.parse(double.format(value) ?? ''), value)));
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const text = long.format(value) ?? '';
        return text === String(value) && BigInt(long.parse(text) ?? 'none') === value;
      }),
    );
  });

  it('does not stumble over megabytes of digits', () => {
    const digits = '1'.repeat(8_000_000);
    expect(t.double().parse(digits)).to.equal(undefined);
    expect(t.long().parse(digits)).to.equal(undefined);
    expect(t.int().parse(digits)).to.equal(undefined);
  });

  it('knows which fields may be missing (A11)', () => {
    expect(t.int().presence).to.equal('required');
    expect(t.int().optional().presence).to.equal('optional');
    expect(t.int().default(4)).to.include({ presence: 'default', fallback: 4, kind: 'int' });
  });
});
