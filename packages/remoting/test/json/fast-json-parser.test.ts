import { expect } from 'chai';
import fc from 'fast-check';
import { DecodeError } from '../../src/errors.js';
import { FastJsonParser } from '../../src/json/fast-json-parser.js';
import { jsonEntries, jsonField } from '../../src/json/json-field.js';
import type { JsonShape } from '../../src/json/json-shape.js';
import type { JsonObject, JsonValue } from '../../src/json/json-value.js';
import { fastJsonParser } from '../../src/json/parse-fast-json.js';

/** What comes of reading: the value, or what is wrong. */
function outcome(read: () => JsonValue): JsonValue {
  try {
    return ['read', read()];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return ['refused', error.message];
  }
}

/** Reads with pauses after so many characters, in turn. */
function paused(parser: FastJsonParser, budgets: readonly number[]): JsonValue {
  for (let turn = 0; !parser.advance(budgets[turn % budgets.length]); turn++) {
    expect(turn).to.be.below(10_000);
  }
  return parser.value;
}

/** Parts of texts that are right and wrong, in fastjson's dialect. */
const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'{}[]:,"\'\\/*01-+.eEaxun\n \u2028é'), maxLength: 6 }),
  fc.constantFrom('/* a */', '// b\n', '"\\u0041\\n"', "'it\\'s'", '1e5', '-12', '{a:1}', '[1,,2]', 'null', '\u0000'),
);
const noise = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

/** Right texts, with blanks and comments between. */
const spaced = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom('', ' \n', '/**/', '/* * / */ ', '// \n'))
  .map(([text, gap]) => text.replaceAll(/("(?:[^"\\]|\\.)*")|([,:[\]{}])/g, (part) => gap + part + gap));

describe('FastJsonParser', () => {
  it('reads in pieces of any length what it reads at once, and finds the same wrong', () => {
    const budgets = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
    const maxValues = fc.constantFrom(3, 1000);
    const property = fc.property(fc.oneof(noise, spaced), budgets, maxValues, (text, lengths, max) => {
      const atOnce = outcome(() => new FastJsonParser(text, max).parse());
      expect(outcome(() => paused(new FastJsonParser(text, max), lengths))).to.deep.equal(atOnce);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  const long: [string, string, JsonValue][] = [
    ['a text', `"${'a'.repeat(10_000)}"`, 'a'.repeat(10_000)],
    ['a text with escapes', `"${'\\n'.repeat(10_000)}"`, '\n'.repeat(10_000)],
    ['blanks', `${' '.repeat(10_000)}1`, 1],
    ['commas', `[${','.repeat(10_000)}1]`, [1]],
    ['a comment', `/*${'*'.repeat(10_000)}*/1`, 1],
    ['a comment to the end of the line', `//${'*'.repeat(10_000)}`, null],
    ['controls at the end', `1${'\u0001'.repeat(10_000)}`, 1],
    ['brackets', `${'[]'.padStart(10_000, ' ')}`, []],
    ['many values', `[${'{},'.repeat(4_000)}]`, Array.from({ length: 4_000 }, () => ({}))],
  ];
  for (const [what, text, expected] of long) {
    it(`pauses within ${what}`, () => {
      const parser = new FastJsonParser(text);
      let pieces = 1;
      while (!parser.advance(100)) pieces++;
      expect(parser.value).to.deep.equal(expected);
      expect(pieces).to.be.above(90);
    });
  }

  it('skips the byte order mark that parseFastJson skips', () => {
    expect(fastJsonParser('\ufeff[1]').parse()).to.deep.equal([1]);
  });
});

describe('FastJsonParser, given what is wanted', () => {
  const number: JsonShape = {};
  const shape: JsonShape = {
    properties: new Map<string, JsonShape>([
      ['count', number],
      ['text', { wholeUpTo: 3 }],
      ['list', { items: number }],
      ['table', { entries: { properties: new Map([['perm', number]]) }, maxEntries: 2 }],
    ]),
  };
  const read = (text: string): JsonObject => new FastJsonParser(text, 1000, shape).parse() as JsonObject;

  it('makes the properties of a bean and nothing else', () => {
    const object = read('{"other":{"count":9},"count":1,"text":"a","list":[1,{"a":2},[3]],"more":[[["x"]]]}');
    expect(object).to.deep.equal({ count: 1, text: 'a', list: [1, {}, [null]] });
  });

  it('keeps of what should be a number whether it is an array or an object, and whether that array is empty', () => {
    expect(read('{"count":{"a":[1]}}')).to.deep.equal({ count: {} });
    expect(read('{"count":[1,2,3]}')).to.deep.equal({ count: [null] });
    expect(read('{"count":[]}')).to.deep.equal({ count: [] });
    expect(new FastJsonParser('[1,{"count":2}]', 9, shape).parse()).to.deep.equal([null]);
    expect(new FastJsonParser('"count"', 9, shape).parse()).to.equal('count');
  });

  it('reads the whole of what may be written as an array or object, up to its limit', () => {
    expect(read('{"text":{"a":[1]},"count":2}')).to.deep.equal({ text: { a: [1] }, count: 2 });
    expect(() => read('{"text":[1,2,3,4]}')).to.throw(DecodeError, 'at character 15 of 18: more than');
    expect(read('{"text":[1,2,3],"other":[1,2,3,4,5]}')).to.deep.equal({ text: [1, 2, 3] });
  });

  it('reads the entries of a map by their exact names, up to its limit', () => {
    const tableOf = (text: string) => jsonEntries(jsonField(read(text), 'table') as JsonObject);
    const table = tableOf('{"table":{"__proto__":{"perm":1,"x":2},"-a":{"Perm":3}}}');
    expect([...table.keys()]).to.deep.equal(['__proto__', '-a']);
    expect(jsonField(table.get('-a') as JsonObject, 'perm')).to.equal(3);
    expect(table.get('__proto__')).to.deep.equal({ perm: 1 });
    expect(tableOf('{"table":{"a":1,"b":2,"a":3}}')).to.deep.equal(new Map(Object.entries({ a: 3, b: 2 })));
    expect(() => read('{"table":{"a":1,"b":2,"c":3}}')).to.throw(DecodeError, 'table holds more than 2 members');
  });

  it('finds a property as it is found in the whole, under other spellings too', () => {
    const name = fc.constantFrom(
      'count',
      'Count',
      'COUNT',
      'c_ount',
      '-count',
      '_count-',
      'counts',
      'count\u212a',
      'x',
    );
    const members = fc.uniqueArray(fc.tuple(name, fc.nat(9)), { selector: ([each]) => each });
    const property = fc.property(members, (each) => {
      const text = JSON.stringify(Object.fromEntries(each));
      const whole = new FastJsonParser(text).parse() as JsonObject;
      expect(jsonField(read(text), 'count')).to.equal(jsonField(whole, 'count'));
      expect(Object.keys(read(text)).length).to.be.at.most(2);
    });
    fc.assert(property);
    expect(read(`{"${'_'.repeat(2000)}count":1}`)).to.deep.equal({});
  });

  it('finds wrong and counts what it does not make', () => {
    expect(() => read('{"other":[1,2')).to.throw(DecodeError, 'expected "," or "]", found its end');
    expect(() => new FastJsonParser('{"other":[1,2]}', 3, shape).parse()).to.throw(DecodeError, 'more than 3 values');
  });
});
