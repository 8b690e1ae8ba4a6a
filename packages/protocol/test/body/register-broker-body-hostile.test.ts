import { deflateRawSync, deflateSync, inflateSync } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import { decodeRegisterBrokerBody, encodeRegisterBrokerBody, type RegisterBrokerBody } from '../../src/index.js';

const VERSION = '{"counter":3,"timestamp":1000}';

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function field(text: string): Buffer {
  return Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
}

/** The inflated body of a broker with these topic texts. */
function fields(topics: readonly string[], filters = '[]', ...rest: readonly Buffer[]): Buffer {
  return Buffer.concat([
    field(VERSION),
    int32(topics.length),
    ...topics.map((topic) => field(topic)),
    field(filters),
    ...rest,
  ]);
}

function read(bytes: Uint8Array, requestVersion = 355, maxInflatedBytes?: number): RegisterBrokerBody {
  return decodeRegisterBrokerBody(bytes, { compressed: true, requestVersion, nowMillis: 5000, maxInflatedBytes });
}

function inflated(bytes: Buffer, requestVersion = 355): RegisterBrokerBody {
  return read(deflateSync(bytes), requestVersion);
}

function topicsOf(body: RegisterBrokerBody): string[] {
  return [...(body.topicConfigSerializeWrapper.topicConfigTable?.keys() ?? [])];
}

const GOOD = deflateSync(fields(['T1 4 8 6 SINGLE_TAG', 'T2 4 8 6 MULTI_TAG']), { level: 9 });

describe('a compressed registration and its stream', () => {
  it('may be followed by anything', () => {
    expect(topicsOf(read(Buffer.concat([GOOD, Buffer.from('more')])))).to.deep.equal(['T1', 'T2']);
    expect(topicsOf(read(Buffer.concat([GOOD, GOOD])))).to.deep.equal(['T1', 'T2']);
  });

  it('may lack its trailer, in part or whole', () => {
    for (let missing = 1; missing <= 4; missing++) {
      expect(topicsOf(read(GOOD.subarray(0, -missing)))).to.deep.equal(['T1', 'T2']);
    }
  });

  it('is refused when its trailer is wrong', () => {
    const wrong = Buffer.from(GOOD);
    wrong[wrong.length - 1] = (wrong[wrong.length - 1] ?? 0) ^ 1;
    expect(() => read(wrong)).to.throw(DecodeError, 'the compressed body is no zlib stream: incorrect data check');
  });

  it('is refused without a zlib header', () => {
    expect(() => read(deflateRawSync(inflateSync(GOOD)))).to.throw(
      DecodeError,
      'the compressed body is no zlib stream',
    );
  });

  it('cut anywhere is refused, or whole', () => {
    for (let length = 1; length < GOOD.length; length++) {
      try {
        expect(topicsOf(read(GOOD.subarray(0, length)))).to.deep.equal(['T1', 'T2']);
      } catch (error) {
        expect(error).to.be.instanceOf(DecodeError);
        expect((error as DecodeError).message).to.match(/^the compressed body is cut short/);
      }
    }
  });

  it('with any one byte changed is read or refused, but never anything else', () => {
    for (let at = 0; at < GOOD.length; at++) {
      const changed = Buffer.from(GOOD);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      try {
        read(changed);
      } catch (error) {
        expect(error, `byte ${at}`).to.be.instanceOf(DecodeError);
      }
    }
  });

  it('is refused when it inflates to more than the limit, and read at the limit', () => {
    const bytes = fields(['T1 4 8 6 SINGLE_TAG']);
    expect(topicsOf(read(deflateSync(bytes), 355, bytes.length))).to.deep.equal(['T1']);
    expect(() => read(deflateSync(bytes), 355, bytes.length - 1)).to.throw(
      DecodeError,
      `the compressed body inflates to more than ${bytes.length - 1} bytes`,
    );
  });

  it('that inflates without end is refused at 64 MiB', () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024 + 1), { level: 9 });
    expect(() => read(bomb)).to.throw(DecodeError, 'the compressed body inflates to more than 67108864 bytes');
  });
});

describe('a compressed registration and its fields', () => {
  it('cut anywhere is refused with what is missing', () => {
    const whole = fields(['T1 4 8 6 SINGLE_TAG'], '["a:1"]', int32(0));
    for (let length = 0; length < whole.length; length++) {
      expect(() => inflated(whole.subarray(0, length), 413), `${length} bytes`).to.throw(
        DecodeError,
        'the compressed body is cut short',
      );
    }
    expect(topicsOf(inflated(whole, 413))).to.deep.equal(['T1']);
  });

  it('announces lengths and counts that are checked before anything is allocated', () => {
    const rows: [Buffer, string][] = [
      [int32(0x7fffffff), 'the data version has 2147483647 bytes, 0 are left'],
      [int32(-1), 'the data version has -1 bytes, 0 are left'],
      [Buffer.concat([field(VERSION), int32(0x7fffffff)]), 'it announces 2147483647 topics, 0 bytes are left'],
      [Buffer.concat([field(VERSION), int32(-1)]), 'it announces -1 topics, 0 bytes are left'],
      [Buffer.concat([field(VERSION), int32(2), Buffer.alloc(7)]), 'it announces 2 topics, 7 bytes are left'],
      [Buffer.concat([field(VERSION), int32(1), int32(-5)]), 'a topic has -5 bytes, 0 are left'],
      [Buffer.concat([field(VERSION), int32(0), int32(9)]), 'the filter servers has 9 bytes, 0 are left'],
      [fields([], '[]', int32(0x7fffffff)), 'it announces 2147483647 queue mappings, 0 bytes are left'],
    ];
    for (const [bytes, message] of rows) expect(() => inflated(bytes, 413), message).to.throw(DecodeError, message);
  });

  it('costs nothing when 12 bytes announce 2 GiB', () => {
    const bomb = deflateSync(int32(0x7fffffff));
    expect(bomb.length).to.equal(12);
    expect(() => read(bomb)).to.throw(DecodeError, 'the compressed body is cut short');
  });

  it('has topics of five parts, or six', () => {
    const rows: [string, string][] = [
      ['', 'a topic of the compressed body is no "name readQueueNums writeQueueNums perm filterType"'],
      ['T1 4 8 6', 'a topicFilterType nobody knows'],
      ['T1 4 8 6 ', 'a topicFilterType nobody knows'],
      ['T1 4 8 6 OTHER', 'a topicFilterType nobody knows'],
      ['T1 x 8 6 SINGLE_TAG', 'is no "name readQueueNums'],
      ['T1 4  8 6 SINGLE_TAG', 'is no "name readQueueNums'],
      ['T1 4 8 2147483648 SINGLE_TAG', 'is no "name readQueueNums'],
    ];
    for (const [text, message] of rows) expect(() => inflated(fields([text])), text).to.throw(DecodeError, message);
    for (const [rest, attributes] of [
      ['', undefined],
      [' ', undefined],
      [' {}', new Map()],
      [' {"a":"b"}', new Map([['a', 'b']])],
      [' {"a":"b c"}', new Map([['a', 'b c']])],
      [' {"a', undefined],
      [' [1]', undefined],
    ] as const) {
      const table = inflated(fields([`T1 +4 08 6 SINGLE_TAG${rest}`])).topicConfigSerializeWrapper.topicConfigTable;
      expect(table?.get('T1'), rest).to.deep.equal({
        topicName: 'T1',
        readQueueNums: 4,
        writeQueueNums: 8,
        perm: 6,
        topicFilterType: 'SINGLE_TAG',
        topicSysFlag: 0,
        order: false,
        ...(attributes === undefined ? {} : { attributes }),
      });
    }
  });

  it('has filter servers that never make it fail', () => {
    const rows: [string, string[] | null][] = [
      ['null', null],
      ['[]', []],
      ['["a:1",null]', ['a:1']],
      ['nonsense', []],
      ['{"a":1}', []],
    ];
    for (const [text, list] of rows) expect(inflated(fields([], text)).filterServerList, text).to.deep.equal(list);
  });

  it('has queue mappings that can be stored', () => {
    const rows: [string, string][] = [
      ['null', 'a queue mapping of the compressed body is null'],
      ['{"bname":"b"}', 'a queue mapping has no topic'],
      ['{"topic":"T"}', 'the queue mapping of topic "T" has no bname'],
    ];
    for (const [text, message] of rows) {
      expect(() => inflated(fields([], '[]', int32(1), field(text)), 413), text).to.throw(DecodeError, message);
    }
  });

  it('reads a null data version as a new one', () => {
    const bytes = Buffer.concat([field('null'), int32(0), field('[]')]);
    expect(inflated(bytes).topicConfigSerializeWrapper.dataVersion).to.deep.equal({
      timestamp: 5000,
      counter: 0,
      stateVersion: 0,
    });
  });

  it('is written without topics for a table that is null', () => {
    const wrapper = { dataVersion: { timestamp: 1, counter: 2, stateVersion: 3 }, topicQueueMappingInfoMap: new Map() };
    const body = { topicConfigSerializeWrapper: { ...wrapper, topicConfigTable: null }, filterServerList: null };
    expect(read(encodeRegisterBrokerBody(body, { compressed: true, fiveX: true }), 413)).to.deep.equal({
      topicConfigSerializeWrapper: { ...wrapper, topicConfigTable: new Map() },
      filterServerList: null,
    });
  });
});
