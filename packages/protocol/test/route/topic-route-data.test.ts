import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import { decodeTopicRouteData, encodeTopicRouteData, type RouteDialect, type TopicRouteData } from '../../src/index.js';

const V4_7_1: RouteDialect = { standardJson: false, queueFlagName: 'topicSynFlag', fiveX: false };
const V4_9_7: RouteDialect = { standardJson: false, queueFlagName: 'topicSysFlag', fiveX: false };
const V4_9_7_STANDARD: RouteDialect = { ...V4_9_7, standardJson: true };
const V5_3_3: RouteDialect = { standardJson: true, queueFlagName: 'topicSysFlag', fiveX: true };

function routeOf(...addresses: [number, string][]): TopicRouteData {
  return {
    queueDatas: [{ brokerName: 'b-a', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 }],
    brokerDatas: [{ cluster: 'C1', brokerName: 'b-a', brokerAddrs: new Map(addresses), enableActingMaster: false }],
    filterServerTable: new Map(),
  };
}

const FULL: TopicRouteData = {
  orderTopicConf: 's-1:4',
  queueDatas: [{ brokerName: 'am', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 }],
  brokerDatas: [
    {
      cluster: 'S',
      brokerName: 'am',
      brokerAddrs: new Map([
        [1, '1.0.0.2:1'],
        [0, '1.0.0.1:1'],
      ]),
      zoneName: 'z1',
      enableActingMaster: true,
    },
  ],
  filterServerTable: new Map(),
  topicQueueMappingByBroker: new Map([
    [
      's-1',
      {
        topic: 'ST',
        scope: '__global__',
        totalQueues: 4,
        bname: 's-1',
        epoch: 7,
        dirty: false,
        currIdMap: new Map([
          [0, 0],
          [1, 1],
        ]),
      },
    ],
  ]),
};

describe('encodeTopicRouteData', () => {
  it('writes what each release answers, byte for byte', () => {
    const one = routeOf([0, '10.0.0.1:10911']);
    const two = routeOf([1, '10.0.0.2:10911'], [0, '10.0.0.1:10911']);
    const rows: [RouteDialect, TopicRouteData, string][] = [
      [
        V4_7_1,
        two,
        '{"brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911",1:"10.0.0.2:10911"},"brokerName":"b-a","cluster":"C1"}],"filterServerTable":{},"queueDatas":[{"brokerName":"b-a","perm":6,"readQueueNums":4,"topicSynFlag":0,"writeQueueNums":4}]}',
      ],
      [
        V4_9_7,
        one,
        '{"brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911"},"brokerName":"b-a","cluster":"C1"}],"filterServerTable":{},"queueDatas":[{"brokerName":"b-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
      ],
      [
        V4_9_7_STANDARD,
        one,
        '{"brokerDatas":[{"brokerAddrs":{"0":"10.0.0.1:10911"},"brokerName":"b-a","cluster":"C1"}],"filterServerTable":{},"queueDatas":[{"brokerName":"b-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
      ],
      [
        V5_3_3,
        FULL,
        '{"brokerDatas":[{"brokerAddrs":{"0":"1.0.0.1:1","1":"1.0.0.2:1"},"brokerName":"am","cluster":"S","enableActingMaster":true,"zoneName":"z1"}],"filterServerTable":{},"orderTopicConf":"s-1:4","queueDatas":[{"brokerName":"am","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}],"topicQueueMappingByBroker":{"s-1":{"bname":"s-1","currIdMap":{"0":0,"1":1},"dirty":false,"epoch":7,"scope":"__global__","topic":"ST","totalQueues":4}}}',
      ],
      [
        V5_3_3,
        { ...routeOf(), queueDatas: [] },
        '{"brokerDatas":[{"brokerAddrs":{},"brokerName":"b-a","cluster":"C1","enableActingMaster":false}],"filterServerTable":{},"queueDatas":[]}',
      ],
    ];
    for (const [dialect, route, text] of rows) expect(encodeTopicRouteData(route, dialect).toString()).to.equal(text);
  });

  it('writes 5.x properties in 5.x dialects only', () => {
    expect(encodeTopicRouteData(FULL, V4_9_7).toString()).to.equal(
      '{"brokerDatas":[{"brokerAddrs":{0:"1.0.0.1:1",1:"1.0.0.2:1"},"brokerName":"am","cluster":"S"}],"filterServerTable":{},"orderTopicConf":"s-1:4","queueDatas":[{"brokerName":"am","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
    );
  });

  it('leaves queue ids of mappings unquoted in the legacy flavour', () => {
    expect(encodeTopicRouteData(FULL, { ...V5_3_3, standardJson: false }).toString()).to.include(
      '"currIdMap":{0:0,1:1}',
    );
  });

  it('escapes text as the flavour has it, and sorts maps in the standard one', () => {
    const route: TopicRouteData = {
      queueDatas: [],
      brokerDatas: [],
      filterServerTable: new Map([
        ['z/ü', ['1']],
        ['a', ['2', '3']],
      ]),
    };
    expect(encodeTopicRouteData(route, V4_7_1).toString()).to.equal(
      '{"brokerDatas":[],"filterServerTable":{"z/ü":["1"],"a":["2","3"]},"queueDatas":[]}',
    );
    expect(encodeTopicRouteData(route, V5_3_3).toString()).to.equal(
      '{"brokerDatas":[],"filterServerTable":{"a":["2","3"],"z\\/\\u00FC":["1"]},"queueDatas":[]}',
    );
  });

  it('keeps broker ids of 64 bits exact', () => {
    const id = 9007199254740993n;
    const route: TopicRouteData = {
      ...routeOf(),
      brokerDatas: [{ cluster: 'c', brokerName: 'b', enableActingMaster: false, brokerAddrs: new Map([[id, 'a:1']]) }],
    };
    const body = encodeTopicRouteData(route, V4_9_7_STANDARD);
    expect(body.toString()).to.include('"brokerAddrs":{"9007199254740993":"a:1"}');
    expect([...(decodeTopicRouteData(body)?.brokerDatas[0]?.brokerAddrs ?? [])]).to.deep.equal([[id, 'a:1']]);
  });
});

describe('decodeTopicRouteData', () => {
  it('reads what every dialect that carries everything writes', () => {
    for (const standardJson of [false, true]) {
      const decoded = decodeTopicRouteData(encodeTopicRouteData(FULL, { ...V5_3_3, standardJson }));
      expect(decoded).to.deep.equal(FULL);
    }
  });

  it('reads the flag of a queue under either name', () => {
    for (const name of ['topicSynFlag', 'topicSysFlag']) {
      const route = decodeTopicRouteData(`{"queueDatas":[{"brokerName":"b","${name}":3}]}`);
      expect(route?.queueDatas).to.deep.equal([
        { brokerName: 'b', readQueueNums: 0, writeQueueNums: 0, perm: 0, topicSysFlag: 3 },
      ]);
    }
  });

  it('takes what is missing or null for empty', () => {
    const empty = {
      orderTopicConf: undefined,
      queueDatas: [],
      brokerDatas: [],
      filterServerTable: new Map(),
      topicQueueMappingByBroker: undefined,
    };
    expect(decodeTopicRouteData('{}')).to.deep.equal(empty);
    const nulls =
      '{"queueDatas":[null],"brokerDatas":null,"filterServerTable":{"a":null},"orderTopicConf":null,"topicQueueMappingByBroker":null}';
    expect(decodeTopicRouteData(nulls)).to.deep.equal(empty);
  });

  it('says that there is none for no body and for null', () => {
    for (const body of [undefined, '', ' ', 'null', '[]', new Uint8Array(0), Buffer.from('null')]) {
      expect(decodeTopicRouteData(body)).to.equal(undefined);
    }
  });

  it('refuses what cannot be stored', () => {
    const rows: [string, string][] = [
      ['{"queueDatas":[{}]}', 'queue data has no brokerName'],
      ['{"brokerDatas":[{}]}', 'a broker has no brokerName'],
      ['{"brokerDatas":[{"brokerName":"b","brokerAddrs":{"x":"a:1"}}]}', 'a broker id is no number: "x"'],
      ['{"queueDatas":{}}', 'queueDatas should be an array but is an object'],
      ['5', 'route data should be an object but is 5'],
    ];
    for (const [text, message] of rows) expect(() => decodeTopicRouteData(text), text).to.throw(DecodeError, message);
  });
});
