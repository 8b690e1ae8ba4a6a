import { expect } from 'chai';
import { decodeRocketMqHeader, encodeRocketMqHeader } from '../../src/codec/rocketmq-header-codec.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { DecodeError, RemotingError } from '../../src/errors.js';
import { membersOf } from '../command/members.js';

const serializeType = SerializeType.ROCKETMQ;
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const encode = (command: RemotingCommand): string => encodeRocketMqHeader(command).toString('hex');

/** A header of code 0, JAVA, version 355, opaque 1, flag 1, and the bytes from the remark's length on. */
const withRest = (rest: string): Buffer => hex(`0000 00 0163 00000001 00000001 ${rest}`);

describe('ROCKETMQ header codec', () => {
  it('writes an empty header in 21 bytes (A13)', () => {
    const command = RemotingCommand.response(0, undefined, { version: 355, opaque: 1, serializeType });
    expect(encode(command)).to.equal(withRest('00000000 00000000').toString('hex'));
    expect(membersOf(decodeRocketMqHeader(withRest('00000000 00000000')))).to.deep.equal(membersOf(command));
  });

  it('writes a remark (A14)', () => {
    const bytes = encodeRocketMqHeader(RemotingCommand.request(103, { remark: 'Sample Remark', serializeType }));
    expect(bytes).to.have.length(34);
    expect(bytes.readInt32BE(13)).to.equal(13);
    expect(bytes.toString('utf8', 17, 30)).to.equal('Sample Remark');
    expect(bytes.readInt32BE(30)).to.equal(0);
    expect(decodeRocketMqHeader(bytes).remark).to.equal('Sample Remark');
  });

  it('writes ext fields (A15)', () => {
    const bytes = encodeRocketMqHeader(RemotingCommand.request(103, { extFields: { key: 'value' }, serializeType }));
    expect(bytes).to.have.length(35);
    expect(bytes.subarray(17).toString('hex')).to.equal(
      hex('0000000e 0003 6b6579 00000005 76616c7565').toString('hex'),
    );
    expect({ ...decodeRocketMqHeader(bytes).extFields }).to.deep.equal({ key: 'value' });
  });

  it('writes a value of length 0, and reads it as missing', () => {
    const bytes = withRest('00000000 0000000f 0001 6b 00000000 0001 6c 00000001 61');
    const command = RemotingCommand.response(0, undefined, {
      version: 355,
      opaque: 1,
      extFields: createExtFields({ k: '', l: 'a' }),
      serializeType,
    });
    expect(encode(command)).to.equal(bytes.toString('hex'));
    command.extFields = createExtFields({ l: 'a' });
    expect(membersOf(decodeRocketMqHeader(bytes))).to.deep.equal(membersOf(command));
  });

  it('keeps only the low 16 bits of code and version', () => {
    const command = decodeRocketMqHeader(
      encodeRocketMqHeader(RemotingCommand.request(200050, { version: -1, serializeType })),
    );
    expect(command.code).to.equal(3442);
    expect(command.version).to.equal(-1);
  });

  it('takes an empty remark and empty ext fields for none', () => {
    const command = RemotingCommand.request(1, { remark: '', extFields: createExtFields(), serializeType });
    expect(encode(command)).to.equal(encode(RemotingCommand.request(1, { serializeType })));
  });

  it('writes an undefined language as OTHER and reads an unknown one as undefined', () => {
    const bytes = encodeRocketMqHeader(RemotingCommand.request(1, { language: undefined, serializeType }));
    expect(bytes[2]).to.equal(7);
    bytes[2] = 200;
    expect(decodeRocketMqHeader(bytes).language).to.equal(undefined);
  });

  it('measures texts in bytes of UTF-8 and writes unpaired surrogates as question marks', () => {
    const extFields = { 主题: '订单🐇', lone: 'a\udc00' };
    const command = decodeRocketMqHeader(
      encodeRocketMqHeader(RemotingCommand.request(1, { remark: 'é\ud800', extFields, serializeType })),
    );
    expect(command.remark).to.equal('é?');
    expect({ ...command.extFields }).to.deep.equal({ 主题: '订单🐇', lone: 'a?' });
  });

  it('lets the last of two equal names win', () => {
    const bytes = withRest('00000000 00000010 0001 6b 00000001 61 0001 6b 00000001 62');
    expect({ ...decodeRocketMqHeader(bytes).extFields }).to.deep.equal({ k: 'b' });
  });

  it('ignores bytes after the ext fields', () => {
    expect(decodeRocketMqHeader(withRest('00000000 00000000 ffff')).extFields).to.equal(undefined);
  });

  it('takes a negative length of the ext fields for none', () => {
    expect(decodeRocketMqHeader(withRest('00000000 ffffffff')).extFields).to.equal(undefined);
  });

  it('reads __proto__ as a name like others, and leaves out what has an empty one', () => {
    const bytes = withRest('00000000 00000017 0000 00000001 61 0009 5f5f70726f746f5f5f 00000001 62');
    expect(Object.entries(decodeRocketMqHeader(bytes).extFields ?? {})).to.deep.equal([['__proto__', 'b']]);
  });

  it('writes a name of 32767 bytes and refuses a longer one', () => {
    const name = 'k'.repeat(32767);
    const command = RemotingCommand.request(1, { extFields: { [name]: 'v' }, serializeType });
    expect(Object.keys(decodeRocketMqHeader(encodeRocketMqHeader(command)).extFields ?? {})).to.deep.equal([name]);
    command.extFields = { [`${name}k`]: 'v' };
    expect(() => encodeRocketMqHeader(command))
      .to.throw(RemotingError, "an ext field's name has 32768 bytes")
      .with.property('code', 'ENCODE_FAILED');
  });

  it('takes 16,384 ext fields and no more', () => {
    const header = (count: number): Buffer => {
      const extFields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'v']));
      return encodeRocketMqHeader(RemotingCommand.request(1, { extFields, serializeType }));
    };
    expect(Object.keys(decodeRocketMqHeader(header(16_384)).extFields ?? {})).to.have.length(16_384);
    expect(() => decodeRocketMqHeader(header(16_385))).to.throw(DecodeError, 'more than 16384 ext fields');
  });

  const refused: [string, Buffer, string][] = [
    ['a header cut short', Buffer.alloc(20), 'a binary header has 21 bytes at least'],
    ['a negative remark length (P11)', withRest('ffffffff 00000000'), 'the remark has -1 bytes, but 0 are left'],
    ['a remark longer than the header', withRest('00000002 61 00000000'), 'the remark has 2 bytes, but 1 are left'],
    ['ext fields longer than the header', withRest('00000000 00000001'), 'extFields has 1 bytes, but 0 are left'],
    ['a negative name length', withRest('00000000 00000002 ffff'), "an ext field's name has -1 bytes"],
    ['a name cut short', withRest('00000000 00000003 0002 61'), "an ext field's name has 2 bytes, but 1 are left"],
    [
      'a value without length',
      withRest('00000000 00000004 0001 61 00'),
      "a value's length has 4 bytes, but 1 are left",
    ],
    ['a negative value length', withRest('00000000 00000007 0001 61 ffffffff'), "an ext field's value has -1 bytes"],
    ['a value cut short', withRest('00000000 00000008 0001 61 00000002 61'), 'value has 2 bytes, but 1 are left'],
    ['half a name length', withRest('00000000 00000001 00'), "a name's length has 2 bytes, but 1 are left"],
  ];
  for (const [what, bytes, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => decodeRocketMqHeader(bytes)).to.throw(DecodeError, message);
    });
  }
});
