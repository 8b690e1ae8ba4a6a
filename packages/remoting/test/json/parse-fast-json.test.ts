import { expect } from 'chai';
import fc from 'fast-check';
import { DecodeError } from '../../src/errors.js';
import { FastJsonParser } from '../../src/json/fast-json-parser.js';
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

  it('takes linear time for hostile texts of megabytes', () => {
    const million = 1_000_000;
    const started = performance.now();
    const hostile: [string, string][] = [
      ['['.repeat(10 * million), 'nested'],
      ['9'.repeat(10 * million), 'an integer of 10000000 digits'],
      [`{${'9'.repeat(10 * million)}:1}`, 'an integer of 10000000 digits'],
      [`"${'\\"'.repeat(2 * million)}`, 'the end of a string'],
      [`[${','.repeat(5 * million)}`, 'found its end'],
      [`${'/**/'.repeat(million)}x`, 'expected a value'],
      [`[${'"a",'.repeat(million)}x`, 'expected a value'],
      [`{${'a'.repeat(5 * million)}`, 'expected ":"'],
    ];
    for (const [text, message] of hostile) expect(() => parseFastJson(text)).to.throw(DecodeError, message);
    expect(parseFastJson(`0.${'1'.repeat(5 * million)}`)).to.equal(1 / 9);
    expect(parseFastJson(`${'0'.repeat(5 * million)}7`)).to.equal(7);
    expect(performance.now() - started).to.be.below(6000);
  });
});
