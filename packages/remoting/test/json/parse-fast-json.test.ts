import { expect } from 'chai';
import fc from 'fast-check';
import { DecodeError } from '../../src/errors.js';
import { FastJsonParser } from '../../src/json/fast-json-parser.js';
import { mayExceedLimits } from '../../src/json/json-limits.js';
import { parseFastJson } from '../../src/json/parse-fast-json.js';

const lenient = (text: string) => new FastJsonParser(text).parse();

describe('parseFastJson', () => {
  const accepted: [string, string, unknown][] = [
    ['numbers as names', '{0:"a",1:"b",-2:"c"}', { 0: 'a', 1: 'b', '-2': 'c' }],
    ['numbers with leading zeros as names', '{007:1}', { 7: 1 }],
    ['long numbers as names', '{9007199254740993:1}', { '9007199254740993': 1 }],
    ['names without quotes', '{abc:1,$d_9:2,主题:3}', { abc: 1, $d_9: 2, 主题: 3 }],
    ['names and texts in apostrophes', "{'a':'it\\'s'}", { a: "it's" }],
    ['null as a name', '{null:1}', { null: 1 }],
    ['comments', '/* a */{"a"/**/:1,// b\n"b":2}// end', { a: 1, b: 2 }],
    ['surplus commas', '{,"a":1,,"b":[,1,,2,],}', { a: 1, b: [1, 2] }],
    ['commas alone', '[[,],{,}]', [[], {}]],
    ['leading zeros', '[007,-01]', [7, -1]],
    ['a plus', '[+1]', [1]],
    ['a point without digits', '[1.]', [1]],
    ['NaN, as null', '{"a":NaN}', { a: null }],
    ['escapes in hexadecimal', '"\\x41\\u0042"', 'AB'],
    ['other escapes', '"\\v\\0\\7\\F"', '\v\u0000\u0007\f'],
    ['control characters in texts', '"a\tb\n"', 'a\tb\n'],
    ['form feeds and backspaces between', '[\f1,\b2]', [1, 2]],
    ['control characters behind the text, such as the end of one in C', '{"a":1}\u0000\u0001\u007f\n\u0000', { a: 1 }],
    ['the last of equal names', '{"a":1,a:2}', { a: 2 }],
    ['empty text, as null', '', null],
    ['blank text, as null', ' \n/* */', null],
    ['null', 'null', null],
    ['fractions and exponents', '[1.5,-2e3,1E+2,5e-1]', [1.5, -2000, 100, 0.5]],
  ];
  for (const [what, text, expected] of accepted) {
    it(`accepts ${what}`, () => {
      expect(parseFastJson(text)).to.deep.equal(expected);
    });
  }

  it('reads integers of 64 bits exactly, as numbers where they are safe', () => {
    expect(
      parseFastJson('[9007199254740991,9007199254740992,-9223372036854775808,18446744073709551616]'),
    ).to.deep.equal([9007199254740991, 9007199254740992n, -9223372036854775808n, 18446744073709551616n]);
    expect(parseFastJson('[0000000000000000000001]')).to.deep.equal([1]);
    expect(Object.is((parseFastJson('[-0]') as number[])[0], 0)).to.equal(true);
  });

  const refused: [string, string, string][] = [
    ['a control character elsewhere', '\u0000{}', 'wrong at character 0 of 3: expected a value'],
    [
      'text after a control character',
      '{}\u0000x',
      'wrong at character 3 of 4: expected the end of the text, found "x"',
    ],
    ['text after the value', '{} {', 'wrong at character 3 of 4: expected the end of the text, found "{"'],
    ['TRUE', '[TRUE]', 'at character 1 of 6: expected a value, found "TRUE]"'],
    ['a longer word', '[trueish]', 'expected a value, found "trueish]"'],
    ['an unfinished array', '[1', 'at character 2 of 2: expected "," or "]", found its end'],
    ['values without comma', '[1 2]', 'expected "," or "]", found "2]"'],
    ['a missing colon', '{"a" 1}', 'expected ":", found "1}"'],
    ['a missing value', '{"a":}', 'expected a value, found "}"'],
    ['a name that is none', '{+:1}', 'expected a name, found "+:1}"'],
    ['an unfinished text', '"abc', 'expected the end of a string, found its end'],
    ['an unknown escape', '"\\q"', 'expected an escape, found "q\\""'],
    ['an escape at the end', '"\\', 'expected an escape, found its end'],
    ['half an escape', '"\\u00g0"', 'expected an escape with 4 hexadecimal digits'],
    ['a comment without end', '[1]/*', 'at character 3 of 5: a comment without end'],
    ['a slash', '[1]/', 'expected a comment, found "/"'],
    ['a minus alone', '[-]', 'expected a digit, found "]"'],
    ['half an exponent', '[1e]', 'expected a digit of the exponent, found "]"'],
  ];
  for (const [what, text, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => parseFastJson(text)).to.throw(DecodeError, message);
    });
  }

  it('agrees with the native parser on strict JSON', () => {
    const json = fc.oneof(fc.json({ maxDepth: 4 }), fc.json({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseFastJson(spaced)).to.deep.equal(lenient(spaced));
        const expected: unknown = JSON.parse(spaced, (_, value) => (Object.is(value, -0) ? 0 : value));
        if (!/\d{16}/.test(spaced)) expect(lenient(spaced)).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('throws nothing but DecodeError, whatever the text', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]:,"\'\\/*01-+.eEaxun\n \u2028é'), maxLength: 60 });
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), (text) => {
        for (const parse of [parseFastJson, lenient]) {
          try {
            parse(text);
          } catch (error) {
            expect(error).to.be.instanceOf(DecodeError);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads members that every object has as members like others', () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{__proto__:{a:1},constructor:2}']) {
      const object = parseFastJson(text) as object;
      expect(Object.entries(object)).to.deep.equal([
        ['__proto__', { a: 1 }],
        ['constructor', 2],
      ]);
      expect(Object.getPrototypeOf(object)).to.equal(Object.prototype);
    }
  });

  it('reads 256 levels and refuses the next, on both paths', () => {
    const nested = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);
    for (const inner of ['', '1,', `"${'['.repeat(600)}\\""`, '{"a":1}']) {
      const depth = inner.startsWith('{') ? 255 : 256;
      expect(parseFastJson(nested(depth, inner))).to.deep.equal(lenient(nested(depth, inner)));
      expect(() => parseFastJson(nested(depth + 1, inner))).to.throw(DecodeError, 'nested more than 256 deep');
    }
    expect(() => parseFastJson('{"a":'.repeat(1000))).to.throw(DecodeError, 'nested more than 256 deep');
  });

  it('reads as many values as it may and refuses the next, on both paths', () => {
    const rows: [string, number][] = [
      ['1', 1],
      ['[]', 1],
      ['[{},{}]', 3],
      ['{"a":{"b":[1,",,[[{{"]},"c":null}', 6],
      ["{a:'b',1:[]}", 3],
      ['[,1,,2,]', 3],
      [`[${'{},'.repeat(999)}{}]`, 1001],
      [`{"long":"${'[,'.repeat(1000)}"}`, 2],
    ];
    for (const [text, values] of rows) {
      expect(parseFastJson(text, { maxValues: values }), text).to.deep.equal(lenient(text));
      expect(() => parseFastJson(text, { maxValues: values - 1 }), text).to.throw(
        DecodeError,
        `more than ${values - 1} values`,
      );
    }
  });

  it('stops at the value that is one too many', () => {
    const text = new CountedText(`[${'{},'.repeat(100_000)}{}]`);
    expect(() => new FastJsonParser(text.asString(), 100).parse()).to.throw('at character 298 of 300004');
    expect(text.work).to.be.below(5000);
  });

  it('skips one byte order mark, before the text', () => {
    expect(parseFastJson('\ufeff{"a":1}')).to.deep.equal({ a: 1 });
    expect(parseFastJson('\ufeff')).to.equal(null);
    for (const text of ['\ufeff\ufeff1', ' \ufeff1', '1\ufeff'])
      expect(() => parseFastJson(text)).to.throw(DecodeError);
  });

  it('reads long texts with escapes as the native parser does', () => {
    const unit = '\\n\\u4e00a\\"\ud83d\ude00';
    for (const length of [1, 1000, 4095, 4096, 4097, 20_000]) {
      const text = `"${unit.repeat(length)}"`;
      expect(lenient(text)).to.equal(JSON.parse(text));
      expect(lenient(`"${'x'.repeat(length)}\\n"`)).to.equal(`${'x'.repeat(length)}\n`);
    }
  });

  const hostile: [string, (length: number) => string, string][] = [
    ['brackets', (length) => '['.repeat(length), 'nested'],
    ['digits', (length) => '9'.repeat(length), 'digits'],
    ['a name of digits', (length) => `{${'9'.repeat(length)}:1}`, 'digits'],
    ['escapes', (length) => `"${'\\"'.repeat(length)}`, 'the end of a string'],
    ['commas', (length) => `[${','.repeat(length)}`, 'found its end'],
    ['comments', (length) => `${'/**/'.repeat(length)}x`, 'expected a value'],
    ['unfinished comments', (length) => `[1${'/* '.repeat(length)}`, 'a comment without end'],
    ['texts', (length) => `[${'"a",'.repeat(length)}x`, 'expected a value'],
    ['a name', (length) => `{${'a'.repeat(length)}`, 'expected ":"'],
    ['a fraction', (length) => `0.${'1'.repeat(length)}x`, 'the end of the text'],
    ['leading zeros', (length) => `${'0'.repeat(length)}7x`, 'the end of the text'],
  ];
  for (const [what, textOf, message] of hostile) {
    it(`does eight times the work for eight times as many: ${what}`, () => {
      const workFor = (length: number) => {
        const text = new CountedText(textOf(length));
        expect(() => new FastJsonParser(text.asString()).parse()).to.throw(DecodeError, message);
        const limits = new CountedText(textOf(length));
        mayExceedLimits(limits.asString(), Infinity);
        return text.work + limits.work;
      };
      expect(workFor(80_000)).to.be.at.most(8 * workFor(10_000));
      expect(() => parseFastJson(textOf(10_000))).to.throw(DecodeError, message);
    });
  }
});

/** A text that counts how many of its characters are looked at. */
class CountedText {
  readonly #text: string;
  work = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** What the parser calls of a string is all here. */
  asString(): string {
    return this as unknown as string;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(at: number): number {
    this.work++;
    return this.#text.charCodeAt(at);
  }

  charAt(at: number): string {
    this.work++;
    return this.#text.charAt(at);
  }

  slice(start: number, end: number): string {
    const part = this.#text.slice(start, end);
    this.work += part.length;
    return part;
  }

  startsWith(start: string, at: number): boolean {
    this.work += start.length;
    return this.#text.startsWith(start, at);
  }

  indexOf(part: string, from: number): number {
    const found = this.#text.indexOf(part, from);
    this.work += (found < 0 ? this.#text.length : found) - from + 1;
    return found;
  }
}
