import { expect } from 'chai';
import { decodeJsonHeader, encodeJsonHeader } from '../../src/codec/json-header-codec.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { DecodeError, RemotingError } from '../../src/errors.js';

const encode = (command: RemotingCommand): string => encodeJsonHeader(command).toString('utf8');
const decode = (text: string): RemotingCommand => decodeJsonHeader(Buffer.from(text));

describe('JSON header codec, writing', () => {
  const version = 355;

  it('writes a bare request, its keys in alphabetical order', () => {
    expect(encode(RemotingCommand.request(105, { opaque: 1, version }))).to.equal(
      '{"code":105,"flag":0,"language":"JAVA","opaque":1,"serializeTypeCurrentRPC":"JSON","version":355}',
    );
  });

  it('writes ext fields that are empty and the remark', () => {
    const command = RemotingCommand.response(1, 'not set any response code', {
      opaque: 1,
      version,
      extFields: createExtFields(),
    });
    expect(encode(command)).to.equal(
      '{"code":1,"extFields":{},"flag":1,"language":"JAVA","opaque":1,"remark":"not set any response code",' +
        '"serializeTypeCurrentRPC":"JSON","version":355}',
    );
  });

  it('leaves out a language nobody knows', () => {
    expect(encode(RemotingCommand.request(1, { language: undefined }))).to.equal(
      '{"code":1,"flag":0,"opaque":0,"serializeTypeCurrentRPC":"JSON","version":0}',
    );
  });

  it('writes non-ASCII text raw, escapes as fastjson does, and turns unpaired surrogates into question marks', () => {
    const bytes = encodeJsonHeader(
      RemotingCommand.request(1, { extFields: { 'k"': '订单🐇\ud800' }, remark: 'a\n\u0001\u2028/' }),
    );
    expect(bytes.toString('utf8')).to.equal(
      '{"code":1,"extFields":{"k\\"":"订单🐇?"},"flag":0,"language":"JAVA","opaque":0,"remark":"a\\n\\u0001\\u2028/",' +
        '"serializeTypeCurrentRPC":"JSON","version":0}',
    );
  });

  it('refuses values that the other side could not read', () => {
    expect(() => encode(RemotingCommand.request(1.5, { opaque: 9 })))
      .to.throw(RemotingError, "a command's code must be a 32-bit integer, not 1.5")
      .with.include({ code: 'ENCODE_FAILED', opaque: 9 });
    expect(() => encode(RemotingCommand.request(1, { opaque: 2 ** 31 }))).to.throw(RemotingError, 'opaque');
    const extFields = { brokerId: 0 } as unknown as Record<string, string>;
    expect(() => encode(RemotingCommand.request(1, { extFields }))).to.throw(
      RemotingError,
      'the header field brokerId must be a string, not a number',
    );
  });
});

describe('JSON header codec, reading', () => {
  it('gives an empty object the defaults (P4)', () => {
    expect(decode('{}')).to.deep.equal(
      new RemotingCommand({ code: 0, language: 'JAVA', version: 0, opaque: 0, flag: 0 }),
    );
  });

  it('reads every key, whatever its order', () => {
    const command = decode(
      '{"version":479,"opaque":-5,"remark":"r","language":"GO","flag":2,"extFields":{"a":"b"},"code":12,"x":{"y":[1]}}',
    );
    expect(command).to.deep.include({ code: 12, language: 'GO', version: 479, opaque: -5, flag: 2, remark: 'r' });
    expect({ ...command.extFields }).to.deep.equal({ a: 'b' });
  });

  const lenient: [string, string, Partial<RemotingCommand>][] = [
    ['a number given as text', '{"code":"12"}', { code: 12 }],
    ['null for a number', '{"code":null,"opaque":null}', { code: 0, opaque: 0 }],
    ['a language name nobody knows (P7)', '{"language":"ZIG"}', { language: undefined }],
    ['the language NODE_JS', '{"language":"NODE_JS"}', { language: 'NODE_JS' }],
    ['a language that every object has as property', '{"language":"constructor"}', { language: undefined }],
    ['the language as ordinal', '{"language":9}', { language: 'GO' }],
    ['a remark that is a number', '{"remark":5}', { remark: '5' }],
    ['a null remark', '{"remark":null}', { remark: undefined }],
    ['unquoted names and comments', "{code:7,/* */'opaque':3}", { code: 7, opaque: 3 }],
    ['null ext fields', '{"extFields":null}', { extFields: undefined }],
    ['a serialize type of its own', '{"serializeTypeCurrentRPC":"ROCKETMQ"}', { serializeType: 0 }],
    ['names in another case', '{"Code":4}', { code: 4 }],
  ];
  for (const [what, text, expected] of lenient) {
    it(`accepts ${what}`, () => {
      expect(decode(text)).to.include(expected);
    });
  }

  it('turns ext values into texts and drops null ones', () => {
    const text = '{"extFields":{"a":1,"b":true,"c":{"x":1},"d":null,"e":[1,"s"],"f":9007199254740993,"__proto__":"p"}}';
    const extFields = decode(text).extFields ?? {};
    expect(Object.entries(extFields)).to.have.deep.members([
      ['a', '1'],
      ['b', 'true'],
      ['c', '{"x":1}'],
      ['e', '[1,"s"]'],
      ['f', '9007199254740993'],
      ['__proto__', 'p'],
    ]);
    expect(Object.getPrototypeOf(extFields)).to.equal(null);
  });

  it('takes 16,384 ext fields, and no more than 16 others, whoever writes them', () => {
    const header = (count: number, gap: string): string =>
      `{"code":105,${gap}"extFields":{${Array.from({ length: count }, (_, index) => `"f${index}":"v"`).join()}}}`;
    for (const gap of ['', ' ']) {
      expect(Object.keys(decode(header(16_384, gap)).extFields ?? {})).to.have.length(16_384);
      expect(() => decode(header(16_400, gap))).to.throw(DecodeError, 'more than 16400 values');
    }
  });

  const refused: [string, string, string][] = [
    ['nothing', '', 'a JSON header must be an object, but is empty'],
    ['blanks', '  ', 'a JSON header must be an object, but is null or blank'],
    ['null', 'null', 'a JSON header must be an object, but is null or blank'],
    ['an array', '[]', 'a JSON header must be an object, but is an array'],
    ['a number', '5', 'a JSON header must be an object, but is a number'],
    ['garbage after the object', '{} x', 'expected the end of the text, found "x"'],
    ['an opaque beyond 32 bits', '{"opaque":2147483648}', 'the JSON property opaque should be a 32-bit integer'],
    ['a code that is no number', '{"code":"x"}', 'the JSON property code should be a 32-bit integer but is "x"'],
    ['a language ordinal nobody has (P7)', '{"language":99}', "the header's language"],
    ['a negative language ordinal', '{"language":-1}', "the header's language"],
    ['ext fields that are a list', '{"extFields":[1]}', 'extFields should be an object, but is an array'],
    ['ext fields that are an empty list', '{"extFields":[]}', 'extFields should be an object, but is an array'],
    ['ext fields that are a number', '{"extFields":1}', 'the JSON property extFields should be an object'],
  ];
  for (const [what, text, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => decode(text)).to.throw(DecodeError, message);
    });
  }
});
