import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import {
  decodeDataVersion,
  decodeRegisterBrokerBody,
  decodeTopicRouteData,
  type RegisterBrokerBody,
  type TopicConfig,
} from '../../src/index.js';

const options = { compressed: false, requestVersion: 479, nowMillis: 5000 };

function read(text: string): RegisterBrokerBody {
  return decodeRegisterBrokerBody(Buffer.from(text), options);
}

function wrapper(text: string): RegisterBrokerBody['topicConfigSerializeWrapper'] {
  return read(`{"topicConfigSerializeWrapper":${text}}`).topicConfigSerializeWrapper;
}

function topic(properties: string): TopicConfig | undefined {
  return wrapper(`{"topicConfigTable":{"T":{${properties}}}}`).topicConfigTable?.get('T');
}

const NEW_VERSION = { timestamp: 5000, counter: 0, stateVersion: 0 };
const DEFAULT_TOPIC: TopicConfig = {
  topicName: null,
  readQueueNums: 16,
  writeQueueNums: 16,
  perm: 6,
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: 0,
  order: false,
};

describe('what a registration leaves out', () => {
  it('of the body: no filter servers, no topics, a new version', () => {
    expect(read('{}')).to.deep.equal({
      topicConfigSerializeWrapper: {
        dataVersion: NEW_VERSION,
        topicConfigTable: new Map(),
        topicQueueMappingInfoMap: new Map(),
      },
      filterServerList: [],
    });
  });

  it('is not the same as null in the filter list: that leaves the filter servers alone', () => {
    expect(read('{"filterServerList":null}').filterServerList).to.equal(null);
    expect(read('{"filterServerList":[]}').filterServerList).to.deep.equal([]);
    expect(read('{"filterServerList":["a",null,5]}').filterServerList).to.deep.equal(['a', '5']);
  });

  it('of the data version: the time of reading, and zeros', () => {
    const rows: [string, object][] = [
      ['{}', NEW_VERSION],
      ['{"dataVersion":{}}', NEW_VERSION],
      ['{"dataVersion":null}', NEW_VERSION],
      ['{"dataVersion":[]}', NEW_VERSION],
      ['{"dataVersion":{"timestamp":null,"stateVersion":null}}', NEW_VERSION],
      ['{"dataVersion":{"counter":null}}', { ...NEW_VERSION, counter: null }],
      ['{"dataVersion":{"counter":"7","timestamp":"12"}}', { timestamp: 12, counter: 7, stateVersion: 0 }],
    ];
    for (const [text, version] of rows) expect(wrapper(text).dataVersion, text).to.deep.equal(version);
  });

  it('of the tables: empty ones; a null topic table stays null', () => {
    expect(wrapper('{"topicConfigTable":null}').topicConfigTable).to.equal(null);
    expect(wrapper('{"topicQueueMappingInfoMap":null}').topicQueueMappingInfoMap).to.deep.equal(new Map());
  });

  it('of a topic: its defaults', () => {
    expect(topic('')).to.deep.equal(DEFAULT_TOPIC);
    expect(topic('"perm":null,"order":null,"attributes":null')).to.deep.equal(DEFAULT_TOPIC);
    expect(topic('"attributes":{}')).to.deep.equal({ ...DEFAULT_TOPIC, attributes: new Map() });
  });

  it('of a queue mapping: its defaults, and the topic it is filed under', () => {
    const { topicQueueMappingInfoMap } = wrapper('{"topicQueueMappingInfoMap":{"ST":{"bname":"b"}}}');
    expect(topicQueueMappingInfoMap.get('ST')).to.deep.equal({
      topic: 'ST',
      scope: '__global__',
      totalQueues: 0,
      bname: 'b',
      epoch: 0,
      dirty: false,
      currIdMap: new Map(),
    });
  });
});

describe('what a registration writes loosely', () => {
  it('is read as fastjson reads it', () => {
    const rows: [string, Partial<TopicConfig>][] = [
      ['"perm":"7"', { perm: 7 }],
      ['"perm":""', { perm: 6 }],
      ['"perm":6.9', { perm: 6 }],
      ['"perm":true', { perm: 1 }],
      ['"order":"true"', { order: true }],
      ['"order":1', { order: true }],
      ['"topic_name":"x"', { topicName: 'x' }],
      ['"TopicName":"x"', { topicName: 'x' }],
      ["topicName:'x'", { topicName: 'x' }],
      ['"topicName":5', { topicName: '5' }],
      ['"perm":2,"perm":4', { perm: 4 }],
      ['"topicFilterType":"MULTI_TAG"', { topicFilterType: 'MULTI_TAG' }],
      ['"topicFilterType":1', { topicFilterType: 'MULTI_TAG' }],
      ['"topicFilterType":"NEW"', { topicFilterType: null }],
      ['"topicFilterType":null', { topicFilterType: null }],
      ['"unknown":{"a":[1]}', {}],
    ];
    for (const [text, change] of rows) expect(topic(text), text).to.deep.equal({ ...DEFAULT_TOPIC, ...change });
  });

  it('may quote the ids of a queue mapping', () => {
    for (const currIdMap of ['{0:1,10:2}', '{"0":1,"10":2}', '{"0":"1","10":"2"}']) {
      const text = `{"topicQueueMappingInfoMap":{"ST":{"bname":"b","currIdMap":${currIdMap}}}}`;
      expect([...(wrapper(text).topicQueueMappingInfoMap.get('ST')?.currIdMap ?? [])]).to.deep.equal([
        [0, 1],
        [10, 2],
      ]);
    }
  });

  it('names topics as it likes', () => {
    const table = wrapper('{"topicConfigTable":{"__proto__":{},"constructor":{},"%RETRY%g":{}}}').topicConfigTable;
    expect([...(table?.keys() ?? [])].sort()).to.deep.equal(['%RETRY%g', '__proto__', 'constructor']);
  });
});

describe('a registration that is none', () => {
  it('is refused with one line of bounded length, whatever the broker wrote', () => {
    const long = `a\\nb\\u0007\u0085\u2028\u202e${'n'.repeat(1_000_000)}`;
    const bodies = [
      `{"topicConfigSerializeWrapper":"${long}"}`,
      `{"topicConfigSerializeWrapper":{"topicConfigTable":{"${long}":5}}}`,
      `{"topicConfigSerializeWrapper":{"topicConfigTable":{"${long}":null}}}`,
      `{"topicConfigSerializeWrapper":{"topicConfigTable":{"${long}":{"perm":"${long}"}}}}`,
      `{"topicConfigSerializeWrapper":{"topicConfigTable":{"${long}":{"topicFilterType":5}}}}`,
      `{"topicConfigSerializeWrapper":{"topicConfigTable":"${long}"}}`,
      `{"topicConfigSerializeWrapper":{"topicQueueMappingInfoMap":{"${long}":null}}}`,
      `{"topicConfigSerializeWrapper":{"topicQueueMappingInfoMap":{"${long}":{}}}}`,
      `{"topicConfigSerializeWrapper":{"topicQueueMappingInfoMap":{"${long}":{"bname":"b","currIdMap":{"${long}":1}}}}}`,
      `{"filterServerList":"${long}"}`,
      `{"a"${long}`,
      `${long}`,
    ];
    for (const text of bodies) {
      try {
        read(text);
        expect.fail('read it');
      } catch (error) {
        expect(error).to.be.instanceOf(DecodeError);
        expect((error as DecodeError).message, text.slice(0, 80)).to.match(/^[ -~…]{1,400}$/u);
      }
    }
  });

  it('is refused with a sentence that names the cause', () => {
    const rows: [string, string][] = [
      ['null', 'the registration is null'],
      ['  ', 'the registration is null'],
      ['[]', 'the registration is null'],
      ['{"topicConfigSerializeWrapper":null}', 'topicConfigSerializeWrapper is null'],
      ['{"topicConfigSerializeWrapper":[]}', 'topicConfigSerializeWrapper is null'],
      ['5', 'the registration should be an object but is 5'],
      ['{"filterServerList":{}}', 'filterServerList should be an array but is an object'],
      ['{"filterServerList":"a:1"}', 'filterServerList should be an array but is "a:1"'],
      ['{"filterServerList":[{}]}', 'filterServerList holds an object or a list, not an address'],
      [`{"filterServerList":[${'"",'.repeat(10_000)}""]}`, 'filterServerList holds 10001 servers'],
      [`{"filterServerList":["${'a'.repeat(300_000)}"]}`, 'filterServerList is 300000 characters long'],
      ['{', 'the JSON text is wrong at character 1 of 1'],
      ['{} x', 'the JSON text is wrong at character 3 of 4'],
    ];
    for (const [text, message] of rows) expect(() => read(text), text).to.throw(DecodeError, message);
    expect(() => decodeRegisterBrokerBody(Buffer.from('null'), { ...options, requestVersion: 36 })).to.throw(
      DecodeError,
      'topicConfigSerializeWrapper is null',
    );
  });

  it('is refused when it holds more values than its size can be for', () => {
    const dense = (count: number, value: string) => `{"x":[${`${value},`.repeat(count)}${value}]}`;
    const rows: [string, number][] = [
      [dense(30_000, '{}'), 23_884],
      [dense(40_000, '{}'), 26_384],
      [dense(40_000, '0'), 23_051],
    ];
    for (const [text, maxValues] of rows) {
      expect(() => read(text)).to.throw(DecodeError, `more than ${maxValues} values`);
      const bare = { ...options, requestVersion: 36 };
      expect(() => decodeRegisterBrokerBody(Buffer.from(text), bare)).to.throw(DecodeError, 'values');
      expect(() => decodeDataVersion(Buffer.from(text), 0)).to.throw(DecodeError, 'values');
      expect(() => decodeTopicRouteData(text)).to.throw(DecodeError, 'values');
    }
    expect(read(dense(16_000, '{}')).filterServerList).to.deep.equal([]);
  });

  it('is refused with more than 500,000 topics', () => {
    const topics = Array.from({ length: 500_001 }, (_, i) => `"T${i}":null     `);
    expect(() => wrapper(`{"topicConfigTable":{${topics}}}`)).to.throw(
      DecodeError,
      'topicConfigTable holds more than 500000 members',
    );
  });

  it('is refused for a value that does not fit', () => {
    const rows: [string, string][] = [
      ['"perm":"x"', 'perm should be a 32-bit integer but is "x"'],
      ['"perm":2147483648', 'perm should be a 32-bit integer but is 2147483648'],
      ['"order":"yes"', 'order should be a boolean but is "yes"'],
      ['"topicFilterType":2', 'topic "T" of topicConfigTable: topicFilterType is neither a name nor 0 or 1'],
    ];
    for (const [text, message] of rows) expect(() => topic(text), text).to.throw(DecodeError, message);
    const nulls: [string, string][] = [
      ['{"topicConfigTable":[]}', 'topicConfigTable should be an object but is an array'],
      ['{"topicQueueMappingInfoMap":[]}', 'topicQueueMappingInfoMap should be an object but is an array'],
      ['{"topicConfigTable":{"T":{"attributes":[]}}}', 'attributes should be an object but is an array'],
      ['{"topicConfigTable":{"T":null}}', 'topic "T" of topicConfigTable: the topic config is null'],
      ['{"topicQueueMappingInfoMap":{"T":null}}', 'topicQueueMappingInfoMap holds null for topic "T"'],
      ['{"topicQueueMappingInfoMap":{"T":{}}}', 'the queue mapping of topic "T" has no bname'],
      ['{"topicQueueMappingInfoMap":{"T":{"bname":"b","currIdMap":{x:1}}}}', 'has a queue id that is no number'],
    ];
    for (const [text, message] of nulls) expect(() => wrapper(text), text).to.throw(DecodeError, message);
  });
});
