import { expect } from 'chai';
import { bytes, defineCommand } from '../../src/command/define-command.js';
import { t } from '../../src/command/header-field.js';
import { LanguageCode, languageName } from '../../src/command/language-code.js';
import { OpaqueGenerator } from '../../src/command/opaque-generator.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { membersOf } from './members.js';

describe('RemotingCommand', () => {
  it('makes a request (A3)', () => {
    const command = RemotingCommand.request(103, { version: 2333 });
    expect(command).to.include({ code: 103, version: 2333, flag: 0, opaque: 0, language: 'JAVA', serializeType: 0 });
    expect(command.isResponse).to.equal(false);
  });

  it('makes a response with or without remark, other flags kept (A4, A5)', () => {
    const command = RemotingCommand.response(0, 'text', { version: 2333, flag: 4 });
    expect(command).to.include({ code: 0, remark: 'text', version: 2333, flag: 5 });
    expect(command.isResponse).to.equal(true);
    expect(RemotingCommand.response(17).remark).to.equal(undefined);
  });

  it('tells oneway requests by bit 1', () => {
    expect(RemotingCommand.request(1, { flag: 2 }).isOneway).to.equal(true);
    expect(RemotingCommand.request(1, { flag: 4 }).isOneway).to.equal(false);
  });

  it('copies all but the bytes of the body', () => {
    const body = Buffer.from('x');
    const command = RemotingCommand.request(1, { language: undefined, extFields: createExtFields({ a: '1' }), body });
    const copy = command.copy();
    expect(membersOf(copy)).to.deep.equal(membersOf(command));
    expect(copy.body).to.equal(body);
    Object.assign(copy.extFields ?? {}, { a: '2' });
    copy.opaque = 9;
    expect({ ...command.extFields }).to.deep.equal({ a: '1' });
    expect(command.opaque).to.equal(0);
  });

  it('prints without the values of its ext fields', () => {
    const extFields = createExtFields({ AccessKey: 'secret', topic: 'T' });
    const command = RemotingCommand.response(1, 'why', { extFields, body: Buffer.alloc(3), flag: -2147483648 });
    expect(command.toString()).to.equal(
      'RemotingCommand [code=1, language=JAVA, version=0, opaque=0, flag(B)=10000000000000000000000000000001, remark=why, ' +
        'extFields={AccessKey, topic}, serializeTypeCurrentRPC=JSON, bodyBytes=3]',
    );
    expect(RemotingCommand.request(1, { language: undefined, serializeType: 1 }).toString()).to.equal(
      'RemotingCommand [code=1, language=null, version=0, opaque=0, flag(B)=0, remark=null, extFields=null, ' +
        'serializeTypeCurrentRPC=ROCKETMQ, bodyBytes=0]',
    );
  });

  it('keeps any name safe in ext fields', () => {
    const extFields = createExtFields();
    const name = '__proto__';
    extFields[name] = 'p';
    expect(Object.entries(createExtFields(extFields))).to.deep.equal([[name, 'p']]);
  });
});

describe('LanguageCode', () => {
  it('knows RUST as 12 and every code by name (A44)', () => {
    expect(LanguageCode.RUST).to.equal(12);
    expect(languageName(12)).to.equal('RUST');
    for (const [name, code] of Object.entries(LanguageCode)) expect(languageName(code)).to.equal(name);
    for (const code of [-1, 14, 255, 0.5]) expect(languageName(code)).to.equal(undefined);
  });
});

describe('OpaqueGenerator', () => {
  it('counts from 0 and wraps as a Java int', () => {
    const generator = new OpaqueGenerator();
    expect([generator.next(), generator.next()]).to.deep.equal([0, 1]);
    const late = new OpaqueGenerator(2147483647);
    expect([late.next(), late.next(), late.next()]).to.deep.equal([2147483647, -2147483648, -2147483647]);
  });
});

describe('defineCommand', () => {
  it('defaults to no header fields and bodies of plain bytes', () => {
    const definition = defineCommand({ code: 106, name: 'GET_BROKER_CLUSTER_INFO' });
    expect(definition).to.deep.equal({
      code: 106,
      name: 'GET_BROKER_CLUSTER_INFO',
      request: {},
      response: {},
      requestBody: bytes(),
      responseBody: bytes(),
    });
    expect(definition.requestBody.decode(definition.requestBody.encode(undefined))).to.equal(undefined);
  });

  it('keeps what it is given', () => {
    const request = { topic: t.string() };
    expect(defineCommand({ code: 105, name: 'GET_ROUTEINFO_BY_TOPIC', request }).request).to.equal(request);
  });
});
