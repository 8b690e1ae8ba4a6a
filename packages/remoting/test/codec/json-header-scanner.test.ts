import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { encodeJsonHeader, parseJsonHeader } from '../../src/codec/json-header-codec.js';
import { scanJsonHeader } from '../../src/codec/json-header-scanner.js';
import { type ExtFields, RemotingCommand } from '../../src/command/remoting-command.js';

const plain = (command: RemotingCommand | undefined): object | undefined =>
  command && { ...command, extFields: command.extFields && Object.entries(command.extFields) };
const scan = (text: string): object | undefined => plain(scanJsonHeader(Buffer.from(text)));
const parse = (text: string): object | undefined => plain(parseJsonHeader(Buffer.from(text)));

const asciiText = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const command = fc
  .record({
    code: int32,
    opaque: int32,
    flag: int32,
    version: int32,
    language: fc.constantFrom('JAVA', 'GO', 'CPP', undefined),
    remark: fc.option(asciiText, { nil: undefined }),
    extFields: fc.option(fc.dictionary(asciiText, asciiText), { nil: undefined }),
  })
  .map((init) => new RemotingCommand({ ...init, extFields: init.extFields as ExtFields | undefined }));

/** Collects garbage, also where the process was started without `--expose-gc`. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

describe('the scanner of JSON headers', () => {
  it('reads what clients write, as the parser does', () => {
    for (const text of [
      '{"code":105,"extFields":{"topic":"T"},"flag":0,"language":"JAVA","opaque":2147483647,"serializeTypeCurrentRPC":"JSON","version":479}',
      '{"code":105,"language":"GO","version":317,"opaque":-2147483648,"flag":2,"remark":"","extFields":{}}',
      '{"code":0,"language":"ZIG"}',
      '{"code":1,"code":2,"extFields":{"a":"1","a":"2","constructor":"y"}}',
    ]) {
      expect(scan(text), text).to.deep.equal(parse(text)).and.not.equal(undefined);
    }
  });

  it('leaves to the parser what is not plain', () => {
    for (const text of [
      '',
      '{}',
      'null',
      '{ "code":1}',
      '{"code":1} ',
      '{"code":1,}',
      '{code:1}',
      '{"code":"1"}',
      '{"code":01}',
      '{"code":1.5}',
      '{"code":1e3}',
      '{"code":2147483648}',
      '{"code":-2147483649}',
      '{"code":12345678901}',
      '{"code":-}',
      '{"Code":1}',
      '{"language":9}',
      '{"remark":null}',
      '{"remark":"a\\nb"}',
      '{"remark":"\u8ba2"}',
      '{"extFields":null}',
      '{"extFields":{"a":1}}',
      '{"extFields":{"a":"1",}}',
      '{"extFields":{"a":"1"}',
      '{"extFields":{"__proto__":"x"}}',
      '{"other":{"code":1}}',
      '{"code":1',
      '{"remark":"open}',
    ]) {
      expect(scan(text), text).to.equal(undefined);
    }
  });

  it('keeps a long header for none of its values', () => {
    const length = 100_000;
    const collect = collector();
    const kept: (string | undefined)[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 100; i++) {
      const text = `{"code":103,"extFields":{"brokerName":"a name of some length ${i}","rest":"${'x'.repeat(length)}"}}`;
      kept.push(scanJsonHeader(Buffer.from(text))?.extFields?.['brokerName']);
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).to.be.below(20 * length);
    expect(kept[99]).to.equal('a name of some length 99');
  });

  it('agrees with the parser on every command that we write', () => {
    fc.assert(
      fc.property(command, (written) => {
        const text = encodeJsonHeader(written).toString();
        const scanned = scan(text);
        if (scanned !== undefined) expect(scanned).to.deep.equal(parse(text));
        else expect(text).to.match(/\\/);
      }),
    );
  });

  it('agrees with the parser on headers that were tampered with, wherever it reads them', () => {
    fc.assert(
      fc.property(
        command,
        fc.nat(),
        fc.constantFrom('', '"', ',', ':', '{', '}', '0', '-', 'e', '.', ' ', 'n'),
        (written, where, put) => {
          const text = encodeJsonHeader(written).toString();
          const at = where % (text.length + 1);
          for (const tampered of [
            text.slice(0, at) + put + text.slice(at),
            text.slice(0, at) + put + text.slice(at + 1),
          ]) {
            const scanned = scan(tampered);
            if (scanned !== undefined) expect(scanned, tampered).to.deep.equal(parse(tampered));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('gives the ext fields as their text until somebody asks for them', () => {
    const fields = '"a":"1","b":"x y"}';
    const header = Buffer.from(`{"code":1,"extFields":{${fields},"flag":0,"opaque":1}`);
    const command = scanJsonHeader(header);
    expect(command?.extFieldsText).to.equal(fields);
    expect({ ...command?.extFields }).to.deep.equal({ a: '1', b: 'x y' });
    expect(command?.extFieldsText).to.equal(undefined);
    const given = scanJsonHeader(header);
    if (given !== undefined) given.extFields = undefined;
    expect(given?.extFieldsText).to.equal(undefined);
    expect(scanJsonHeader(Buffer.from('{"code":1,"flag":0}'))?.extFieldsText).to.equal(undefined);
  });
});
