import { expect } from 'chai';
import fc from 'fast-check';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { LanguageCode, type LanguageName } from '../../src/command/language-code.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { DecodeError, FrameTooLargeError } from '../../src/errors.js';
import { membersOf } from '../command/members.js';

const int16 = fc.integer({ min: -32768, max: 32767 });
const int32 = fc.integer({ min: -2147483648, max: 2147483647 });
/** Any text but unpaired surrogates, which Java's encoder replaces. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', '', '\u2028"\\/\n'));
const extFields = fc.array(fc.tuple(text, text), { maxLength: 6 }).map((entries) => {
  const fields = createExtFields();
  for (const [name, value] of entries) fields[name] = value;
  return fields;
});

/** Any command that its serialization carries whole: binary headers cut the code and know no empty text. */
const command = fc
  .record({
    serializeType: fc.constantFrom(...Object.values(SerializeType)),
    code: int32,
    shortCode: int16,
    language: fc.constantFrom(...(Object.keys(LanguageCode) as LanguageName[])),
    version: int16,
    opaque: int32,
    flag: int32,
    remark: fc.option(text, { nil: undefined }),
    extFields: fc.option(extFields, { nil: undefined }),
    body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 }).map(Buffer.from), { nil: undefined }),
  })
  .map(({ shortCode, ...init }) => {
    const made = new RemotingCommand(init);
    if (made.serializeType === SerializeType.JSON) return made;
    made.code = shortCode;
    if (made.remark === '') made.remark = undefined;
    for (const [name, value] of Object.entries(made.extFields ?? {}))
      if (name === '' || value === '') delete made.extFields?.[name];
    if (made.extFields !== undefined && Object.keys(made.extFields).length === 0) made.extFields = undefined;
    return made;
  });

function splitAll(splitter: FrameSplitter, bytes: Buffer, sizes: readonly number[]): object[] {
  const commands: object[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] as number;
    splitter.push(bytes.subarray(at, at + size));
    at += size;
    for (let frame = splitter.next(); frame !== undefined; frame = splitter.next())
      commands.push(membersOf(decodeFrame(frame)));
  }
  return commands;
}

describe('commands on the wire', () => {
  it('arrive as they were sent, in both serializations and however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
        (commands, sizes) => {
          const bytes = Buffer.concat(commands.flatMap(encodeFrame));
          expect(splitAll(new FrameSplitter(), bytes, sizes)).to.deep.equal(commands.map(membersOf));
          expect(splitAll(new FrameSplitter(), bytes, [1])).to.deep.equal(commands.map(membersOf));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are written again byte for byte, once read', () => {
    fc.assert(
      fc.property(command, (sent) => {
        const bytes = Buffer.concat(encodeFrame(sent));
        expect(Buffer.concat(encodeFrame(decodeFrame(bytes.subarray(4))))).to.deep.equal(bytes);
      }),
    );
  });

  const decodesOrRefuses = (bytes: Buffer): void => {
    try {
      splitAll(new FrameSplitter(1 << 20), bytes, [7]);
    } catch (error) {
      expect(error).to.satisfy((e: unknown) => e instanceof DecodeError || e instanceof FrameTooLargeError);
    }
  };

  it('end in nothing but DecodeError or FrameTooLargeError when the bytes are noise', () => {
    const header = fc.record({ type: fc.constantFrom(0, 1, 2), rest: fc.uint8Array({ maxLength: 80 }) });
    const framed = header.map(({ type, rest }) =>
      Buffer.concat([Buffer.from([0, 0, 0, 4 + rest.length, type, 0, 0, rest.length]), rest]),
    );
    fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }).map(Buffer.from), framed), decodesOrRefuses), {
      numRuns: 1000,
    });
  });

  it('end in nothing but DecodeError or FrameTooLargeError when single bytes are damaged', () => {
    fc.assert(
      fc.property(
        command,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }),
        fc.nat({ max: 20 }),
        (sent, damages, cut) => {
          const bytes = Buffer.concat(encodeFrame(sent));
          for (const [at, value] of damages) bytes[at % bytes.length] = value;
          decodesOrRefuses(bytes.subarray(0, bytes.length - cut));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** What Apache processes sent, whole frames in base64. */
const captured = {
  'a route request of 4.7.1, in JSON':
    'AAAAiAAAAIR7ImNvZGUiOjEwNSwiZXh0RmllbGRzIjp7InRvcGljIjoiUmF3VG9waWMifSwiZmxhZyI6MCwibGFuZ3VhZ2UiOiJKQVZBIiwib3BhcXVlIjoxMjYsInNlcmlhbGl6ZVR5cGVDdXJyZW50UlBDIjoiSlNPTiIsInZlcnNpb24iOjM1NX0=',
  'a route request of 4.9.7, in binary': 'AAAALAEAACgAaQABlwAAADUAAAAAAAAAAAAAABMABXRvcGljAAAACFJhd1RvcGlj',
  'a route request of a Go client, in JSON':
    'AAAAhQAAAIF7ImNvZGUiOjEwNSwiZXh0RmllbGRzIjp7InRvcGljIjoiUmF3VG9waWMifSwiZmxhZyI6MCwibGFuZ3VhZ2UiOiJHTyIsIm9wYXF1ZSI6NDMsInNlcmlhbGl6ZVR5cGVDdXJyZW50UlBDIjoiSlNPTiIsInZlcnNpb24iOjM1NX0=',
  'a route answer of 4.9.7, in binary':
    'AAABiQEAABUAAAABlwAAADUAAAABAAAAAAAAAAB7ImJyb2tlckRhdGFzIjpbeyJicm9rZXJBZGRycyI6eyIwIjoiMTI3LjAuMC4xOjMwOTExIiwiMSI6IjEyNy4wLjAuMTozMDk1MSJ9LCJicm9rZXJOYW1lIjoicmF3LWJyb2tlciIsImNsdXN0ZXIiOiJSYXdDbHVzdGVyIn1dLCJmaWx0ZXJTZXJ2ZXJUYWJsZSI6eyIxMjcuMC4wLjE6MzA5MTEiOlsiMTI3LjAuMC4xOjMwMDAxIiwiMTI3LjAuMC4xOjMwMDAyIl0sIjEyNy4wLjAuMTozMDk1MSI6WyIxMjcuMC4wLjE6MzAwMDEiLCIxMjcuMC4wLjE6MzAwMDIiXX0sInF1ZXVlRGF0YXMiOlt7ImJyb2tlck5hbWUiOiJyYXctYnJva2VyIiwicGVybSI6NiwicmVhZFF1ZXVlTnVtcyI6NCwidG9waWNTeXNGbGFnIjowLCJ3cml0ZVF1ZXVlTnVtcyI6NH1dfQ==',
  'a route answer of 4.7.1, in JSON':
    'AAABhQAAAGF7ImNvZGUiOjAsImZsYWciOjEsImxhbmd1YWdlIjoiSkFWQSIsIm9wYXF1ZSI6MTI2LCJzZXJpYWxpemVUeXBlQ3VycmVudFJQQyI6IkpTT04iLCJ2ZXJzaW9uIjozNTV9eyJicm9rZXJEYXRhcyI6W3siYnJva2VyQWRkcnMiOnswOiIxMjcuMC4wLjE6MzA5MTEifSwiYnJva2VyTmFtZSI6InJhdy1icm9rZXIiLCJjbHVzdGVyIjoiUmF3Q2x1c3RlciJ9XSwiZmlsdGVyU2VydmVyVGFibGUiOnsiMTI3LjAuMC4xOjMwOTExIjpbIjEyNy4wLjAuMTozMDAwMSIsIjEyNy4wLjAuMTozMDAwMiJdfSwicXVldWVEYXRhcyI6W3siYnJva2VyTmFtZSI6InJhdy1icm9rZXIiLCJwZXJtIjo0LCJyZWFkUXVldWVOdW1zIjo0LCJ0b3BpY1N5bkZsYWciOjAsIndyaXRlUXVldWVOdW1zIjo0fV19',
} as const;

describe('captured frames', () => {
  const decodeCaptured = (name: keyof typeof captured): RemotingCommand =>
    decodeFrame(Buffer.from(captured[name], 'base64').subarray(4));

  for (const [name, base64] of Object.entries(captured)) {
    it(`writes ${name} byte for byte as Apache does`, () => {
      const bytes = Buffer.from(base64, 'base64');
      expect(Buffer.concat(encodeFrame(decodeFrame(bytes.subarray(4)))).toString('base64')).to.equal(base64);
    });
  }

  it('reads requests of both serializations', () => {
    const extFields = createExtFields({ topic: 'RawTopic' });
    expect(membersOf(decodeCaptured('a route request of 4.7.1, in JSON'))).to.deep.equal(
      membersOf(RemotingCommand.request(105, { opaque: 126, version: 355, extFields })),
    );
    expect(membersOf(decodeCaptured('a route request of 4.9.7, in binary'))).to.deep.equal(
      membersOf(
        RemotingCommand.request(105, { opaque: 53, version: 407, extFields, serializeType: SerializeType.ROCKETMQ }),
      ),
    );
    expect(decodeCaptured('a route request of a Go client, in JSON').language).to.equal('GO');
  });

  it('reads an answer and its body', () => {
    const answer = decodeCaptured('a route answer of 4.7.1, in JSON');
    expect(answer).to.include({ code: 0, flag: 1, opaque: 126, version: 355, remark: undefined, extFields: undefined });
    expect(String(answer.body)).to.match(/^\{"brokerDatas":\[\{"brokerAddrs":\{0:"127\.0\.0\.1:30911"\}/);
  });
});
