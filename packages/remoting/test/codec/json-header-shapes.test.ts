import { expect } from 'chai';
import fc from 'fast-check';
import { encodeJsonHeader, parseJsonHeader } from '../../src/codec/json-header-codec.js';
import { JsonHeaderShapes } from '../../src/codec/json-header-shapes.js';
import { type ExtFields, RemotingCommand } from '../../src/command/remoting-command.js';

const plain = (command: RemotingCommand | undefined): object | undefined =>
  command && { ...command, extFields: command.extFields && Object.entries(command.extFields) };
const parse = (text: string): object | undefined => plain(parseJsonHeader(Buffer.from(text)));

/** Reads a text that lies amid others, as a header does. */
function read(shapes: JsonHeaderShapes, text: string, offset = 0): object | undefined {
  const bytes = Buffer.from(`${'"'.repeat(offset)}${text}"opaque":1}`);
  return plain(shapes.read(bytes, offset, bytes.length - 11));
}

/** Shapes that were shown the header of a text often enough to have learned it. */
function shapesOf(...texts: string[]): JsonHeaderShapes {
  const shapes = new JsonHeaderShapes();
  for (const text of texts) {
    for (let i = 0; i < 20; i++) read(shapes, text);
    expect(shapes.scans, text).to.be.below(20 * texts.length);
  }
  return shapes;
}

const asciiText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 12,
});
const int32 = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(0, 9, 10, -1, 2 ** 31 - 1, -(2 ** 31)),
);
const extFields = fc.option(
  fc.dictionary(fc.oneof(asciiText, fc.constantFrom('opaque', 'extFields', 'a', '__proto__')), asciiText),
  { nil: undefined },
);

const JAVA =
  '{"code":105,"extFields":{"topic":"T"},"flag":0,"language":"JAVA","opaque":12345,"serializeTypeCurrentRPC":"JSON","version":479}';
const GO = '{"code":105,"language":"GO","version":317,"opaque":7,"flag":0,"remark":"","extFields":{"a":"1"}}';
/** Also those that no client writes. */
const HEADERS = [
  JAVA,
  JAVA.replace('"extFields":{"topic":"T"},', ''),
  GO.replace('"remark":"",', ''),
  '{"opaque":1}',
  '{"opaque":1,"code":7}',
  '{"code":7,"opaque":1}',
  '{"code":1,"opaque":2,"opaque":3,"version":4}',
  '{"opaque":2,"extFields":{"opaque":"2"},"extFields":{},"code":2}',
  '{"code":12345,"flag":12345,"opaque":12345,"version":12345}',
  '{"code":7}',
  '{"extFields":{}}',
];

describe('JsonHeaderShapes', () => {
  it('scans no header but the first few of a kind, whatever their opaques and ext fields', () => {
    const shapes = shapesOf(JAVA);
    const scans = shapes.scans;
    for (const opaque of [0, 1, -1, 10, 99999, 2147483647, -2147483648])
      for (const fields of ['', '"topic":"other"', '"a":"1","b":""']) {
        const text = JAVA.replace('12345', `${opaque}`).replace('"topic":"T"', fields);
        for (const offset of [0, 1, 2, 3, 8]) expect(read(shapes, text, offset)).to.deep.equal(parse(text));
      }
    expect(shapes.scans).to.equal(scans);
  });

  it('learns each kind, and reads each as the parser does, alone and among others', () => {
    const all = shapesOf(...HEADERS);
    for (const text of HEADERS) {
      const shapes = shapesOf(text);
      const scans = shapes.scans;
      expect(read(shapes, text), text).to.deep.equal(parse(text));
      expect(shapes.scans, text).to.equal(scans);
      expect(read(all, text), text).to.deep.equal(parse(text));
    }
  });

  it('knows most kinds of a mix of codes and versions, whichever came before', () => {
    const mix = [103, 105, 106, 206, 322].flatMap((code) =>
      [355, 407, 479].map((version) => JAVA.replace('105', `${code}`).replace('479', `${version}`)),
    );
    const shapes = shapesOf(...mix);
    const scans = shapes.scans;
    for (let round = 0; round < 10; round++) for (const text of mix) read(shapes, text);
    expect(shapes.scans - scans).to.be.below(mix.length * 3);
  });

  it('goes on with more kinds than are kept', () => {
    const shapes = new JsonHeaderShapes();
    for (let round = 0; round < 40; round++)
      for (let code = 0; code < 40; code++) {
        const text = `{"code":${code},"opaque":${round}}`;
        expect(read(shapes, text)).to.deep.equal(parse(text));
      }
  });

  it('does not keep failures, each with words of its own', () => {
    const shapes = new JsonHeaderShapes();
    for (let i = 0; i < 100; i++) read(shapes, GO);
    expect(shapes.scans).to.equal(100);
  });

  it('leaves to the parser what the scanner does, though it knows its kind', () => {
    for (const [was, is] of [
      ['12345', '012345'],
      ['12345', '12345.0'],
      ['12345', '1e3'],
      ['12345', '-'],
      ['12345', ''],
      ['12345', ' 12345'],
      ['12345', '12345 '],
      ['12345', '2147483648'],
      ['12345', '"12345"'],
      ['12345', '12345,"other":1'],
      ['"T"', '1'],
      ['"T"', '"\\u0041"'],
      ['"T"', '"T",'],
      ['"topic"', '"__proto__"'],
      ['"topic"', 'topic'],
      ['}', ''],
    ] as const) {
      const shapes = shapesOf(JAVA);
      const text = JAVA.replace(was, is);
      expect(read(shapes, text), text).to.equal(undefined);
    }
  });

  it('takes no header at all for one of a kind without opaque and ext fields', () => {
    const shapes = shapesOf('{"code":7}');
    for (const start of [0, 5]) expect(shapes.read(Buffer.alloc(10), start, start)).to.equal(undefined);
  });

  it('agrees with the parser on whatever differs a little from a kind it knows', () => {
    const edit = fc.record({
      where: fc.nat(),
      cut: fc.nat(3),
      put: fc.oneof(
        fc.constantFrom('', '"', ',', ':', '{', '}', '0', '1', '-', 'e', '.', ' ', '\\', '12345', '"opaque":1,', '{}'),
        int32.map(String),
      ),
      nearOpaque: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...HEADERS), fc.array(edit, { minLength: 1, maxLength: 3 }), (header, edits) => {
        let text = header;
        for (const { where, cut, put, nearOpaque } of edits) {
          const at = nearOpaque
            ? Math.min(text.length, Math.max(0, text.lastIndexOf('"opaque":') + 7 + (where % 10)))
            : where % (text.length + 1);
          text = text.slice(0, at) + put + text.slice(at + cut);
        }
        const shapes = shapesOf(header);
        const command = read(shapes, text, edits.length);
        if (command !== undefined) expect(command, text).to.deep.equal(parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with the parser on all that we write, in any order of kinds', () => {
    const command = fc.record({
      code: fc.constantFrom(1, 12, 105),
      flag: fc.constantFrom(0, 1),
      version: fc.constantFrom(0, 479),
      language: fc.constantFrom('JAVA' as const, 'GO' as const, undefined),
      opaque: int32,
      extFields,
    });
    fc.assert(
      fc.property(fc.array(command, { minLength: 20, maxLength: 60 }), (inits) => {
        const shapes = new JsonHeaderShapes();
        for (const init of inits) {
          const { extFields } = init;
          const text = encodeJsonHeader(new RemotingCommand({ ...init, extFields: extFields as ExtFields })).toString();
          const read_ = read(shapes, text);
          if (read_ !== undefined) expect(read_).to.deep.equal(parse(text));
          else expect(text).to.match(/\\|__proto__/);
        }
      }),
    );
  });
});
