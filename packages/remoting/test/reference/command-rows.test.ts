import { expect } from 'chai';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { decodeHeader, encodeHeader } from '../../src/command/custom-header.js';
import { t } from '../../src/command/header-field.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { parseFastJson } from '../../src/json/parse-fast-json.js';
import { writeFastJson } from '../../src/json/write-fast-json.js';

// Reference: remoting 9.1.
describe('RemotingCommand, by the rows of the reference', () => {
  it('carries header, remark, opaque, version and flags through a binary frame (A16)', () => {
    const schema = { str: t.string(), num: t.int() };
    const header = { str: 's1', num: 100 };
    const sent = RemotingCommand.request(103, {
      extFields: encodeHeader(schema, header),
      remark: 'Sample Remark',
      opaque: 123,
      version: 479,
      flag: 3,
      body: Buffer.of(0, 1, 2, 3, 4),
      serializeType: SerializeType.ROCKETMQ,
    });
    const received = decodeFrame(Buffer.concat(encodeFrame(sent)).subarray(4));
    expect(decodeHeader(schema, received.extFields)).to.deep.equal(header);
    const { code, remark, opaque, version, flag, body, language, serializeType } = sent;
    expect(received).to.deep.include({ code, remark, opaque, version, flag, language, serializeType });
    expect(received.body).to.deep.equal(body);
  });

  it('writes and reads an object with a list of texts as fastjson does (A45)', () => {
    const value = { stringList: ['a', 'o', 'e', 'i', 'u', 'v'] };
    const text = '{"stringList":["a","o","e","i","u","v"]}';
    expect(writeFastJson(value, 'legacy')).to.equal(text);
    expect(parseFastJson(text)).to.deep.equal(value);
    // The pretty form has blanks that a reader skips; nothing on the wire is written so.
    expect(
      parseFastJson('{\n\t"stringList":[\n\t\t"a",\n\t\t"o",\n\t\t"e",\n\t\t"i",\n\t\t"u",\n\t\t"v"\n\t]\n}'),
    ).to.deep.equal(value);
  });
});
