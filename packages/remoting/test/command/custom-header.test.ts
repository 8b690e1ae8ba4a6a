import { expect } from 'chai';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { decodeHeader, encodeHeader } from '../../src/command/custom-header.js';
import { t } from '../../src/command/header-field.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { DecodeError, RemotingError } from '../../src/errors.js';

const schema = {
  stringValue: t.string(),
  intValue: t.int(),
  longValue: t.long(),
  booleanValue: t.boolean(),
  doubleValue: t.double(),
};
const header = { stringValue: 'bilibili', intValue: 2333, longValue: 23333333, booleanValue: true, doubleValue: 0.618 };

describe('custom header', () => {
  it('travels in the ext fields beside others (A10)', () => {
    const extFields = encodeHeader(schema, header, createExtFields({ key: 'value' }));
    const sent = RemotingCommand.request(103, { extFields });
    const received = decodeFrame(Buffer.concat(encodeFrame(sent)).subarray(4));
    expect({ ...received.extFields }).to.deep.equal({
      key: 'value',
      stringValue: 'bilibili',
      intValue: '2333',
      longValue: '23333333',
      booleanValue: 'true',
      doubleValue: '0.618',
    });
    expect(decodeHeader(schema, received.extFields)).to.deep.equal(header);
  });

  it('carries the fields of a schema made of two (A12)', () => {
    const sub = { ...schema, topic: t.string() };
    const value = { ...header, topic: 'T1' };
    expect(decodeHeader(sub, encodeHeader(sub, value))).to.deep.equal(value);
  });

  it('knows fields named as members of every object from those that every object has', () => {
    const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
    const odd = Object.fromEntries(names.map((name) => [name, t.string().optional()]));
    const all = Object.fromEntries(names.map((name) => [name, `the ${name}`]));
    expect(Object.entries(encodeHeader(odd, {}))).to.deep.equal([]);
    expect(Object.entries(encodeHeader(odd, all))).to.deep.equal(Object.entries(all));
    expect(Object.entries(decodeHeader(odd, {}))).to.deep.equal([]);
    for (const serializeType of [0, 1] as const) {
      for (const fields of [{ a: 'b' }, { a: 'b', ...all }, JSON.parse('{"__proto__":"the __proto__"}')]) {
        const sent = RemotingCommand.request(1, { serializeType, extFields: createExtFields(fields) });
        const received = decodeFrame(Buffer.concat(encodeFrame(sent)).subarray(4)).extFields;
        const known = Object.entries(fields).filter(([name]) => name !== 'a');
        expect(Object.entries(decodeHeader(odd, received)), `serialize type ${serializeType}`).to.deep.equal(known);
        expect(received?.['constructor']).to.equal(
          Object.hasOwn(fields, 'constructor') ? 'the constructor' : undefined,
        );
      }
    }
  });

  it('overwrites an ext field of the same name', () => {
    const extFields = createExtFields({ topic: 'old' });
    expect(encodeHeader({ topic: t.string() }, { topic: 'new' }, extFields)).to.equal(extFields);
    expect({ ...extFields }).to.deep.equal({ topic: 'new' });
  });

  it('leaves undefined fields out and always writes defaults', () => {
    const fields = { topic: t.string().optional(), compressed: t.boolean().default(false) };
    expect({ ...encodeHeader(fields, {}) }).to.deep.equal({ compressed: 'false' });
    expect(decodeHeader(fields, undefined)).to.deep.equal({ compressed: false });
  });

  it('takes a text that does not parse for a missing field', () => {
    const fields = { a: t.int().optional(), b: t.int().default(4) };
    expect(decodeHeader(fields, { a: 'x', b: ' 1' })).to.deep.equal({ b: 4 });
  });

  it('ignores unknown ext fields', () => {
    expect(decodeHeader({ a: t.string() }, { a: '1', lo: 'true' })).to.deep.equal({ a: '1' });
  });

  it('refuses to read a required field that is missing or does not parse', () => {
    expect(() => decodeHeader({ topic: t.string() }, {})).to.throw(DecodeError, 'the custom field <topic> is null');
    expect(() => decodeHeader({ topic: t.string() }, undefined)).to.throw(
      DecodeError,
      'the custom field <topic> is null',
    );
    expect(() => decodeHeader({ brokerId: t.long() }, { brokerId: 'one' })).to.throw(
      DecodeError,
      'the custom field <brokerId> is no long, but a text of 3 characters',
    );
  });

  it('refuses to write a required field that is missing or has the wrong type', () => {
    const loose = encodeHeader as (schema: object, header: object) => unknown;
    expect(() => loose({ topic: t.string() }, {}))
      .to.throw(RemotingError, 'the header field topic is required but missing')
      .with.property('code', 'ENCODE_FAILED');
    expect(() => loose({ topic: t.string() }, { topic: 1 })).to.throw(RemotingError, 'topic is no string: 1');
    expect(() => loose({ perm: t.int() }, { perm: 2 ** 31 })).to.throw(RemotingError, 'perm is no int: 2147483648');
    expect(() => loose({ perm: t.int() }, { perm: 'secret' })).to.throw(RemotingError, 'perm is no int: a string');
  });
});
