import { expect } from 'chai';
import fc from 'fast-check';
import { RemotingError } from '../../src/errors.js';
import { parseFastJson } from '../../src/json/parse-fast-json.js';
import { type JsonWritable, writeFastJson } from '../../src/json/write-fast-json.js';

describe('writeFastJson', () => {
  const rows: [string, JsonWritable, string, string][] = [
    ['null', null, 'null', 'null'],
    ['undefined', undefined, 'null', 'null'],
    ['booleans', [true, false], '[true,false]', '[true,false]'],
    ['numbers', [0, -0, -1.5, 1e21], '[0,0,-1.5,1e+21]', '[0,0,-1.5,1e+21]'],
    ['numbers that are not finite', [Number.NaN, Infinity], '[null,null]', '[null,null]'],
    [
      'integers beyond 2^53-1',
      [9007199254740991, 9007199254740992n, -9007199254740992n, 5n],
      '[9007199254740991,9007199254740992,-9007199254740992,5]',
      '[9007199254740991,"9007199254740992","-9007199254740992",5]',
    ],
    [
      'the properties of a bean by name',
      { b: 1, a: 2, B: 3, _: 4 },
      '{"B":3,"_":4,"a":2,"b":1}',
      '{"B":3,"_":4,"a":2,"b":1}',
    ],
    ['a bean without its nulls', { a: null, b: undefined, c: [] }, '{"c":[]}', '{"c":[]}'],
    ['a list with its nulls', [null, undefined, 1], '[null,null,1]', '[null,null,1]'],
    ['a map without null values', new Map([['a', null]]), '{}', '{}'],
    [
      'numeric keys',
      new Map([
        [10, 'b'],
        [9, 'a'],
        [-1, 'c'],
      ]),
      '{10:"b",9:"a",-1:"c"}',
      '{"-1":"c","9":"a","10":"b"}',
    ],
    [
      'long keys',
      new Map<number | bigint, number>([
        [9007199254740993n, 1],
        [2, 2],
      ]),
      '{9007199254740993:1,2:2}',
      '{"2":2,"9007199254740993":1}',
    ],
    [
      'text keys',
      new Map([
        ['b', 1],
        ['10', 2],
        ['9', 3],
        ['a/"', 4],
      ]),
      '{"b":1,"10":2,"9":3,"a/\\"":4}',
      '{"10":2,"9":3,"a\\/\\"":4,"b":1}',
    ],
    [
      'a null key',
      new Map([
        ['a', 1],
        [null, 2],
      ]),
      '{"a":1,null:2}',
      '{"null":2,"a":1}',
    ],
    ['short escapes', '"\\\b\t\n\f\r', '"\\"\\\\\\b\\t\\n\\f\\r"', '"\\"\\\\\\b\\t\\n\\f\\r"'],
    ['control characters', '\u0000\u000b\u001f', '"\\u0000\\u000B\\u001F"', '"\\u0000\\u000B\\u001F"'],
    ['characters 7F to A0', '\u007e\u007f\u009f\u00a0', '"~\\u007F\\u009F\u00a0"', '"~\\u007F\\u009F\\u00A0"'],
    ['line separators', '\u2027\u2028\u2029', '"\u2027\\u2028\\u2029"', '"\\u2027\\u2028\\u2029"'],
    ['text beyond ASCII', '订🐇', '"订🐇"', '"\\u8BA2\\uD83D\\uDC07"'],
    ['slashes and what browsers mind', "</'>&", '"</\'>&"', '"<\\/\'>&"'],
  ];
  for (const [what, value, legacy, standard] of rows) {
    it(`writes ${what}`, () => {
      expect(writeFastJson(value, 'legacy')).to.equal(legacy);
      expect(writeFastJson(value, 'standard')).to.equal(standard);
    });
  }

  it('writes the route of the reference in both dialects (P14)', () => {
    const route = {
      queueDatas: [{ brokerName: 'b-a', perm: 6, readQueueNums: 4, topicSysFlag: 0, writeQueueNums: 4 }],
      brokerDatas: [{ cluster: 'C1', brokerName: 'b-a', brokerAddrs: new Map([[0, '10.0.0.1:10911']]) }],
      filterServerTable: new Map(),
      orderTopicConf: undefined,
    };
    const text = (key: string) =>
      `{"brokerDatas":[{"brokerAddrs":{${key}:"10.0.0.1:10911"},"brokerName":"b-a","cluster":"C1"}],"filterServerTable":{},` +
      '"queueDatas":[{"brokerName":"b-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}';
    expect(writeFastJson(route, 'legacy')).to.equal(text('0'));
    expect(writeFastJson(route, 'standard')).to.equal(text('"0"'));
  });

  it('refuses functions, symbols, binary data and other keys', () => {
    for (const value of [() => 1, { a: Symbol('s') }, [Buffer.alloc(1)], new Map([[true, 1]])]) {
      expect(() => writeFastJson(value, 'legacy'))
        .to.throw(RemotingError)
        .with.property('code', 'ENCODE_FAILED');
    }
  });

  it('refuses a cycle instead of overflowing the stack', () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(() => writeFastJson(cycle, 'standard')).to.throw(RemotingError, 'nested more than 256 deep');
  });

  it('writes what reads back equal', () => {
    const { value } = fc.letrec<{ value: JsonWritable }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        fc.constant(null),
        fc.maxSafeInteger().map((n) => n + 0),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Number.isInteger(n) ? 0.5 : n)),
        fc.array(tie('value')),
        fc.dictionary(
          fc.string({ unit: 'binary' }),
          tie('value').filter((member) => member !== null),
          { noNullPrototype: true },
        ),
      ),
    }));
    fc.assert(
      fc.property(value, (input) => {
        for (const dialect of ['legacy', 'standard'] as const) {
          const text = writeFastJson(input, dialect);
          expect(parseFastJson(text)).to.deep.equal(input);
          expect(JSON.parse(text)).to.deep.equal(input);
          if (dialect === 'standard') expect(text).to.match(/^[\x20-\x7e]*$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('writes longs and maps of longs that read back equal', () => {
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.uniqueArray(long), (longs) => {
        const text = writeFastJson({ longs, map: new Map(longs.map((key) => [key, key])) }, 'legacy');
        const canonical = longs.map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
        expect(parseFastJson(text)).to.deep.equal({
          longs: canonical,
          map: Object.fromEntries(canonical.map((value) => [String(value), value])),
        });
      }),
    );
  });
});
