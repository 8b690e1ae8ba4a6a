import { inflateSync } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import {
  bodyCrc32,
  decodeRegisterBrokerBody,
  decodeTopicConfigSerializeWrapper,
  encodeRegisterBrokerBody,
  type RegisterBrokerBody,
  type TopicConfig,
} from '../../src/index.js';

const T1: TopicConfig = {
  topicName: 'T1',
  readQueueNums: 4,
  writeQueueNums: 8,
  perm: 6,
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: 3,
  order: true,
};
const attributes = new Map([['message.type', 'NORMAL']]);
const dataVersion = { timestamp: 1000, counter: 3, stateVersion: 0 };
const mapping = {
  topic: 'ST',
  scope: '__global__',
  totalQueues: 4,
  bname: 'b-a',
  epoch: 7,
  dirty: false,
  currIdMap: new Map([
    [0, 0],
    [1, 3],
  ]),
};

function bodyOf(topic: TopicConfig, mappings = new Map<string, typeof mapping>()): RegisterBrokerBody {
  return {
    topicConfigSerializeWrapper: {
      dataVersion,
      topicConfigTable: new Map([['T1', topic]]),
      topicQueueMappingInfoMap: mappings,
    },
    filterServerList: ['1.1.1.1:2'],
  };
}

const FOUR_X_JSON =
  '{"filterServerList":["1.1.1.1:2"],"topicConfigSerializeWrapper":{"dataVersion":{"counter":3,"timestamp":1000},"topicConfigTable":{"T1":{"order":true,"perm":6,"readQueueNums":4,"topicFilterType":"SINGLE_TAG","topicName":"T1","topicSysFlag":3,"writeQueueNums":8}}}}';
const FIVE_X_JSON =
  '{"filterServerList":["1.1.1.1:2"],"topicConfigSerializeWrapper":{"dataVersion":{"counter":3,"stateVersion":0,"timestamp":1000},"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":0},"topicConfigTable":{"T1":{"attributes":{"message.type":"NORMAL"},"order":true,"perm":6,"readQueueNums":4,"topicFilterType":"SINGLE_TAG","topicName":"T1","topicSysFlag":3,"writeQueueNums":8}},"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{"ST":{"bname":"b-a","currIdMap":{0:0,1:3},"dirty":false,"epoch":7,"scope":"__global__","topic":"ST","totalQueues":4}}}}';

const FOUR_X_COMPRESSED = Buffer.from(
  '78da63606090ab564ace2fcd2b492d52b232d6512ac9cc4d2d2e49cc2d50b232343030a8656060600462e110430513050b053385604f3f771fd7f8104777a0306fb492a11e185a1929c50200ed801182',
  'hex',
);
const FIVE_X_COMPRESSED = Buffer.from(
  '78da2d8ec16ac3301044d50fe83f88392ba9dc84b6ec2d871202494a1bd34b294256b6a9c1b68c241f82f1bf573165d9c30eb3f34608f130c2f9a14b1c402b85986ce24f0eb1f61d482ba4bae52cb63da8d05a4f4288bbbc8bb2906bf9229fe46977dcee5f4db9d9ca11d91bed8597e9da3308c7b78fc3668fdbd3fd178ae53cf488efff143fa2ea6c7bb3560b0b053784b03b1f6ca68d3ae30b5a4d0ae73aa42be8c7369115b8f7ee17f49ccb3a3f638cb934beb28d313922f9be76593c95f3916cf33ef0c011b49efe00aa8743a4',
  'hex',
);

function json(text: string, requestVersion = 479): RegisterBrokerBody {
  return decodeRegisterBrokerBody(Buffer.from(text), { compressed: false, requestVersion, nowMillis: 5000 });
}

describe('RegisterBrokerBody as JSON', () => {
  it('is written and read as a 4.x broker writes it', () => {
    const body = bodyOf(T1);
    expect(encodeRegisterBrokerBody(body, { compressed: false, fiveX: false }).toString()).to.equal(FOUR_X_JSON);
    expect(json(FOUR_X_JSON, 355)).to.deep.equal(body);
  });

  it('is written and read as a 5.x broker writes it, but for the time in mappingDataVersion', () => {
    const body = bodyOf({ ...T1, attributes }, new Map([['ST', mapping]]));
    expect(encodeRegisterBrokerBody(body, { compressed: false, fiveX: true }).toString()).to.equal(FIVE_X_JSON);
    expect(json(FIVE_X_JSON)).to.deep.equal(body);
  });

  it('of a 5.x broker is read whatever the request version', () => {
    expect(json(FIVE_X_JSON, 355)).to.deep.equal(json(FIVE_X_JSON, 479));
  });

  it('is read by 4.x without what 4.x does not know, however odd that is', () => {
    const read = (text: string) =>
      decodeRegisterBrokerBody(Buffer.from(text), {
        compressed: false,
        requestVersion: 479,
        nowMillis: 5000,
        fiveX: false,
      });
    expect(read(FIVE_X_JSON)).to.deep.equal(bodyOf(T1));
    for (const odd of ['"x"', '[]', '{"ST":null}', '{"ST":{}}']) {
      const text = `{"topicConfigSerializeWrapper":{"topicQueueMappingInfoMap":${odd},"topicConfigTable":{"T":{"attributes":"x"}}}}`;
      expect(read(text).topicConfigSerializeWrapper.topicQueueMappingInfoMap.size, odd).to.equal(0);
    }
  });

  it('is a bare topic table before 3.0.11, which has no queue mappings', () => {
    const bare = '{"topicConfigTable":{"T1":{}},"topicQueueMappingInfoMap":{"ST":null}}';
    expect(json(bare, 36).topicConfigSerializeWrapper.topicQueueMappingInfoMap.size).to.equal(0);
  });

  it('is a bare topic table before 3.0.11, which leaves the filter servers alone', () => {
    const bare = '{"dataVersion":{"counter":3,"timestamp":1000},"topicConfigTable":{"T1":{"topicName":"T1"}}}';
    const body = json(bare, 36);
    expect(body.filterServerList).to.equal(null);
    expect(body.topicConfigSerializeWrapper.dataVersion).to.deep.equal(dataVersion);
    expect([...(body.topicConfigSerializeWrapper.topicConfigTable?.keys() ?? [])]).to.deep.equal(['T1']);
  });

  it('keeps numbers of 64 bits exact', () => {
    const text = FIVE_X_JSON.replace(
      '"stateVersion":0,"timestamp":1000',
      '"stateVersion":9007199254740993,"timestamp":1000',
    )
      .replace('"counter":3', '"counter":-9223372036854775808')
      .replace('"epoch":7', '"epoch":9223372036854775807');
    const body = json(text);
    const wrapper = body.topicConfigSerializeWrapper;
    expect(wrapper.dataVersion).to.deep.equal({
      timestamp: 1000,
      counter: -9223372036854775808n,
      stateVersion: 9007199254740993n,
    });
    expect(wrapper.topicQueueMappingInfoMap.get('ST')?.epoch).to.equal(9223372036854775807n);
    expect(encodeRegisterBrokerBody(body, { compressed: false, fiveX: true }).toString()).to.equal(text);
  });
});

describe('decodeTopicConfigSerializeWrapper', () => {
  it("reads a broker's topics.json", () => {
    const text = '{"dataVersion":{"counter":3,"timestamp":1000},"topicConfigTable":{"T1":{"topicName":"T1"}}}';
    const wrapper = decodeTopicConfigSerializeWrapper(Buffer.from(text), 5000);
    expect(wrapper.dataVersion).to.deep.equal(dataVersion);
    expect(wrapper.topicConfigTable?.get('T1')?.perm).to.equal(6);
    expect(decodeTopicConfigSerializeWrapper(Buffer.from('{}'), 5000).dataVersion.timestamp).to.equal(5000);
  });

  it('refuses null', () => {
    for (const text of ['', 'null', '[]']) {
      expect(() => decodeTopicConfigSerializeWrapper(Buffer.from(text), 5000)).to.throw(
        DecodeError,
        'topicConfigSerializeWrapper is null',
      );
    }
  });
});

describe('RegisterBrokerBody, compressed', () => {
  it('of a 4.x broker is read without order and topicSysFlag, which it does not carry', () => {
    const options = { compressed: true, requestVersion: 355, nowMillis: 5000 };
    expect(bodyCrc32(FOUR_X_COMPRESSED)).to.equal(821054405);
    expect(decodeRegisterBrokerBody(FOUR_X_COMPRESSED, options)).to.deep.equal(
      bodyOf({ ...T1, topicSysFlag: 0, order: false }),
    );
  });

  it('of a 5.x broker is read with attributes and queue mappings', () => {
    const options = { compressed: true, requestVersion: 479, nowMillis: 5000 };
    expect(bodyCrc32(FIVE_X_COMPRESSED)).to.equal(48654044);
    expect(decodeRegisterBrokerBody(FIVE_X_COMPRESSED, options)).to.deep.equal(
      bodyOf({ ...T1, topicSysFlag: 0, order: false, attributes }, new Map([['ST', mapping]])),
    );
  });

  it('holds the same bytes as a broker writes, deflated at the highest level', () => {
    const four = encodeRegisterBrokerBody(bodyOf(T1), { compressed: true, fiveX: false });
    expect(Buffer.from(four.subarray(0, 2)).toString('hex')).to.equal('78da');
    expect(inflateSync(four).equals(inflateSync(FOUR_X_COMPRESSED))).to.equal(true);
    const body = bodyOf({ ...T1, attributes }, new Map([['ST', mapping]]));
    const five = encodeRegisterBrokerBody(body, { compressed: true, fiveX: true });
    expect(inflateSync(five).equals(inflateSync(FIVE_X_COMPRESSED))).to.equal(true);
  });

  it('has no queue mappings below version 5.0.0: what follows is not looked at', () => {
    const body = decodeRegisterBrokerBody(FIVE_X_COMPRESSED, {
      compressed: true,
      requestVersion: 412,
      nowMillis: 5000,
    });
    expect(body.topicConfigSerializeWrapper.topicQueueMappingInfoMap.size).to.equal(0);
    expect(body.topicConfigSerializeWrapper.topicConfigTable?.get('T1')?.attributes).to.deep.equal(attributes);
  });

  it('must have queue mappings from version 5.0.0 on', () => {
    const options = { compressed: true, requestVersion: 413, nowMillis: 5000 };
    expect(() => decodeRegisterBrokerBody(FOUR_X_COMPRESSED, options)).to.throw(
      'the compressed body is cut short: it ends before the number of queue mappings',
    );
  });

  it('need not have queue mappings where 4.x reads it, whatever the version, and may have them', () => {
    const options = { compressed: true, requestVersion: 479, nowMillis: 5000, fiveX: false };
    expect(
      decodeRegisterBrokerBody(FOUR_X_COMPRESSED, options).topicConfigSerializeWrapper.topicConfigTable?.size,
    ).to.equal(1);
    const five = decodeRegisterBrokerBody(FIVE_X_COMPRESSED, options);
    expect(five.topicConfigSerializeWrapper.topicQueueMappingInfoMap.size).to.equal(0);
  });

  it('is read also when the header calls it uncompressed, as 5.3.3 brokers do', () => {
    const body = decodeRegisterBrokerBody(FIVE_X_COMPRESSED, {
      compressed: false,
      requestVersion: 479,
      nowMillis: 5000,
    });
    expect(body.filterServerList).to.deep.equal(['1.1.1.1:2']);
  });

  it('is refused when it is JSON', () => {
    const options = { compressed: true, requestVersion: 355, nowMillis: 5000 };
    expect(() => decodeRegisterBrokerBody(Buffer.from(FOUR_X_JSON), options)).to.throw(
      'the compressed body is no zlib stream: incorrect header check',
    );
  });

  it('cannot be written for a topic that no reader would take', () => {
    const write = (topic: TopicConfig) => encodeRegisterBrokerBody(bodyOf(topic), { compressed: true, fiveX: false });
    expect(() => write({ ...T1, topicName: 'a b' })).to.throw('a topic named "a b" cannot be registered compressed');
    expect(() => write({ ...T1, topicName: null })).to.throw('a topic named null cannot be registered compressed');
    expect(() => write({ ...T1, topicFilterType: null })).to.throw('topic "T1" has no topicFilterType');
  });
});

describe('RegisterBrokerBody, absent', () => {
  const noTopics = {
    dataVersion: { timestamp: 0, counter: 0, stateVersion: 0 },
    topicConfigTable: new Map(),
    topicQueueMappingInfoMap: new Map(),
  };

  it('is a broker without topics that has no filter servers', () => {
    for (const body of [undefined, new Uint8Array(0)]) {
      for (const compressed of [false, true]) {
        expect(decodeRegisterBrokerBody(body, { compressed, requestVersion: 37, nowMillis: 5000 })).to.deep.equal({
          topicConfigSerializeWrapper: noTopics,
          filterServerList: [],
        });
      }
    }
  });

  it('leaves the filter servers alone before 3.0.11', () => {
    const body = decodeRegisterBrokerBody(undefined, { compressed: false, requestVersion: 36, nowMillis: 5000 });
    expect(body).to.deep.equal({ topicConfigSerializeWrapper: noTopics, filterServerList: null });
  });
});
