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
      `inflates to more than ${bytes.length - 1} bytes`,
    );
  });

  it('that inflates to more than 1 MiB and 100 times its size is refused', () => {
    const mebibyte = 1024 * 1024;
    const rows: [Buffer, number][] = [
      [deflateSync(Buffer.alloc(mebibyte + 1), { level: 9 }), mebibyte],
      [Buffer.concat([deflateSync(Buffer.alloc(3 * mebibyte)), Buffer.alloc(10_000)]), 0],
      [Buffer.concat([deflateSync(Buffer.alloc(64 * mebibyte + 1)), Buffer.alloc(mebibyte)]), 64 * mebibyte],
    ];
    for (const [bomb, limit] of rows) {
      expect(() => read(bomb)).to.throw(
        DecodeError,
        `the compressed body of ${bomb.length} bytes inflates to more than ${limit || 100 * bomb.length} bytes`,
      );
    }
    // 1 MiB exactly: 256 Ki numbers, all 0.
    expect(read(deflateSync(Buffer.alloc(mebibyte), { level: 9 }))).to.deep.equal(read(deflateSync(Buffer.alloc(12))));
  });

  it('of 100,000 long names that differ in a number is read', () => {
    const topics = Array.from({ length: 100_000 }, (_, i) => {
      return `${'x'.repeat(121)}${String(i).padStart(6, '0')} 8 8 6 SINGLE_TAG {"message.type":"NORMAL"}`;
    });
    const bytes = fields(topics);
    const sent = deflateSync(bytes, { level: 9 });
    expect(bytes.length).to.be.above(50 * sent.length);
    expect(topicsOf(read(sent))).to.have.length(100_000);
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
      [Buffer.concat([field(VERSION), int32(0), int32(9)]), 'the list of filter servers has 9 bytes, 0 are left'],
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

  it('has no data version longer than 1 KiB', () => {
    const version = (length: number) => Buffer.concat([field(VERSION.padEnd(length)), int32(0), field('[]')]);
    expect(topicsOf(inflated(version(1024)))).to.deep.equal([]);
    expect(() => inflated(version(1025))).to.throw(
      DecodeError,
      'the compressed body is refused: the data version has 1025 bytes, more than 1024',
    );
  });

  it('has 10,000 filter servers in 256 KiB at most, none of them an object', () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => `a:${i}`));
    expect(inflated(fields([], list(10_000))).filterServerList).to.have.length(10_000);
    expect(inflated(fields([], list(1).padEnd(256 * 1024))).filterServerList).to.deep.equal(['a:0']);
    const rows: [string, string][] = [
      [list(10_001), 'filterServerList holds 10001 servers; a broker may have 10000'],
      [list(1).padEnd(256 * 1024 + 1), 'the list of filter servers has 262145 bytes, more than 262144'],
      ['[{}]', 'filterServerList holds an object or a list, not an address'],
      ['["a:1",["a:2"]]', 'filterServerList holds an object or a list, not an address'],
    ];
    for (const [text, message] of rows) {
      expect(() => inflated(fields([], text)), message).to.throw(DecodeError, message);
    }
  });

  it('has 8 MiB of queue mappings at most, and 512 KiB of each', () => {
    const mapping = field(`{"bname":"b","topic":"T","dirty":false${' '.repeat(512 * 1024 - 40)}}`);
    const body = (count: number, each = mapping) => fields([], '[]', int32(count), ...Array<Buffer>(count).fill(each));
    // What follows the stream counts as sent.
    const read479 = (bytes: Buffer) => read(Buffer.concat([deflateSync(bytes), Buffer.alloc(150_000)]), 479);
    expect(mapping.length - 4).to.equal(512 * 1024 - 1);
    expect(read479(body(16)).topicConfigSerializeWrapper.topicQueueMappingInfoMap.size).to.equal(1);
    expect(() => read479(body(17))).to.throw(DecodeError, 'a queue mapping has 524287 bytes, more than 16');
    expect(() => read479(body(1, field(' '.repeat(512 * 1024 + 1))))).to.throw(DecodeError, 'bytes, more than 524288');
  });

  it('has attributes that never make it fail, but no more of them than fit', () => {
    const attributesOf = (text: string) =>
      inflated(fields([`T1 4 8 6 SINGLE_TAG ${text}`])).topicConfigSerializeWrapper.topicConfigTable?.get('T1')
        ?.attributes;
    const many = (value: string) => `{${Array.from({ length: 1000 }, (_, i) => `"${i}":${value}`).join(',')}}`;
    expect(attributesOf(many('"v"'))?.size).to.equal(1000);
    expect(attributesOf(`{"a":"${'v'.repeat(65_536 - 8)}"}`)?.size).to.equal(1);
    expect(attributesOf(`{"a":"${'v'.repeat(65_536)}"}`)).to.equal(undefined);
    expect(attributesOf(`{"a":[${'{},'.repeat(1000)}{}]}`)).to.equal(undefined);
  });

  it('has a thousand topics with unreadable attributes at most', () => {
    const topics = (count: number) => Array.from({ length: count }, (_, i) => `T${i} 4 8 6 SINGLE_TAG {${i}`);
    expect(topicsOf(inflated(fields(topics(1000))))).to.have.length(1000);
    expect(() => inflated(fields(topics(1001)))).to.throw(
      DecodeError,
      'more than 1000 topics have attributes that are no JSON',
    );
  });

  it('has no more topics than the bytes sent can be for, and 500,000 at most', () => {
    const topic = field('T 4 8 6 SINGLE_TAG');
    const body = (count: number) => {
      return deflateSync(
        Buffer.concat([field(VERSION), int32(count), Buffer.alloc(count * topic.length, topic), field('[]')]),
      );
    };
    const few = body(20_000);
    expect(() => read(few)).to.throw(
      DecodeError,
      `the compressed body is refused: it announces 20000 topics, more than ${16_384 + few.length}`,
    );
    expect(topicsOf(read(Buffer.concat([few, Buffer.alloc(20_000)])))).to.deep.equal(['T']);
    const many = Buffer.concat([body(500_001), Buffer.alloc(600_000)]);
    expect(() => read(many)).to.throw(DecodeError, 'it announces 500001 topics, more than 500000');
  });

  it('may hold a topic of nothing but spaces', () => {
    expect(() => inflated(fields([' '.repeat(1_000_000)]))).to.throw(DecodeError, 'is no "name readQueueNums');
    expect(topicsOf(inflated(fields([`T1 4 8 6 SINGLE_TAG${' '.repeat(1_000_000)}`])))).to.deep.equal(['T1']);
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
