import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import {
  decodeBrokerMemberGroup,
  decodeClusterInfo,
  decodeDataVersion,
  decodeKvConfig,
  decodeKvTable,
  decodeTopicList,
  encodeBrokerMemberGroup,
  encodeClusterInfo,
  encodeDataVersion,
  encodeKvConfig,
  encodeKvTable,
  encodeTopicList,
} from '../../src/index.js';

describe('cluster information', () => {
  const info = {
    brokerAddrTable: new Map([
      [
        'b-a',
        {
          cluster: 'C1',
          brokerName: 'b-a',
          brokerAddrs: new Map([
            [0, '10.0.0.1:10911'],
            [1, '10.0.0.2:10911'],
          ]),
          zoneName: undefined,
          enableActingMaster: false,
        },
      ],
    ]),
    clusterAddrTable: new Map([['C1', new Set(['b-a'])]]),
  };

  it('is written as 4.x and 5.x write it, with unquoted ids in both', () => {
    expect(encodeClusterInfo(info, { fiveX: false }).toString()).to.equal(
      '{"brokerAddrTable":{"b-a":{"brokerAddrs":{0:"10.0.0.1:10911",1:"10.0.0.2:10911"},"brokerName":"b-a","cluster":"C1"}},"clusterAddrTable":{"C1":["b-a"]}}',
    );
    expect(encodeClusterInfo(info, { fiveX: true }).toString()).to.equal(
      '{"brokerAddrTable":{"b-a":{"brokerAddrs":{0:"10.0.0.1:10911",1:"10.0.0.2:10911"},"brokerName":"b-a","cluster":"C1","enableActingMaster":false}},"clusterAddrTable":{"C1":["b-a"]}}',
    );
  });

  it('is read back', () => {
    for (const fiveX of [false, true]) {
      expect(decodeClusterInfo(encodeClusterInfo(info, { fiveX }))).to.deep.equal(info);
    }
  });

  it('of an empty name server is two empty tables', () => {
    const empty = { brokerAddrTable: new Map(), clusterAddrTable: new Map() };
    expect(encodeClusterInfo(empty, { fiveX: true }).toString()).to.equal(
      '{"brokerAddrTable":{},"clusterAddrTable":{}}',
    );
    expect(decodeClusterInfo(Buffer.from('{}'))).to.deep.equal(empty);
  });

  it('loses the nulls that a 4.x name server may hold', () => {
    const text = '{"brokerAddrTable":{"x":null},"clusterAddrTable":{"C":["b",null],"D":null}}';
    expect(decodeClusterInfo(Buffer.from(text))).to.deep.equal({
      brokerAddrTable: new Map(),
      clusterAddrTable: new Map([['C', new Set(['b'])]]),
    });
  });
});

describe('a broker member group', () => {
  it('is written in the legacy flavour, wrapped', () => {
    const brokerAddrs = new Map([
      [1, '2.0.0.2:1'],
      [0, '2.0.0.1:1'],
    ]);
    const body = encodeBrokerMemberGroup({ cluster: 'S', brokerName: 's-2', brokerAddrs });
    expect(body.toString()).to.equal(
      '{"brokerMemberGroup":{"brokerAddrs":{0:"2.0.0.1:1",1:"2.0.0.2:1"},"brokerName":"s-2","cluster":"S"}}',
    );
    expect(decodeBrokerMemberGroup(body)).to.deep.equal({ cluster: 'S', brokerName: 's-2', brokerAddrs });
  });

  it('leaves out what was not asked for', () => {
    expect(encodeBrokerMemberGroup({ brokerAddrs: new Map() }).toString()).to.equal(
      '{"brokerMemberGroup":{"brokerAddrs":{}}}',
    );
  });

  it('must be there', () => {
    for (const text of ['null', '{}', '{"brokerMemberGroup":null}']) {
      expect(() => decodeBrokerMemberGroup(Buffer.from(text))).to.throw(DecodeError, 'brokerMemberGroup is null');
    }
  });
});

describe('a topic list', () => {
  it('has the address of a broker before its topics, or none', () => {
    expect(encodeTopicList({ topicList: ['C', 'b-a'], brokerAddr: '1.0.0.1:1' }).toString()).to.equal(
      '{"brokerAddr":"1.0.0.1:1","topicList":["C","b-a"]}',
    );
    expect(encodeTopicList({ topicList: [] }).toString()).to.equal('{"topicList":[]}');
  });

  it('is read without its nulls', () => {
    expect(decodeTopicList(Buffer.from('{"brokerAddr":"a:1","topicList":[null,"T"]}'))).to.deep.equal({
      topicList: ['T'],
      brokerAddr: 'a:1',
    });
    expect(() => decodeTopicList(Buffer.from('null'))).to.throw(DecodeError, 'the topic list is null');
  });
});

describe('a KV table', () => {
  it('is written and read, an empty one included', () => {
    const table = new Map([['TopicA', 'broker-a:4']]);
    expect(encodeKvTable(table).toString()).to.equal('{"table":{"TopicA":"broker-a:4"}}');
    expect(encodeKvTable(new Map()).toString()).to.equal('{"table":{}}');
    expect(decodeKvTable(encodeKvTable(table))).to.deep.equal(table);
    expect(decodeKvTable(Buffer.from('{"table":{null:"x","a":null}}'))).to.deep.equal(new Map([['null', 'x']]));
  });
});

describe('a data version', () => {
  it('has a state version in 5.x only', () => {
    const version = { timestamp: 1000, counter: 1, stateVersion: 0 };
    expect(encodeDataVersion(version, { fiveX: false }).toString()).to.equal('{"counter":1,"timestamp":1000}');
    expect(encodeDataVersion(version, { fiveX: true }).toString()).to.equal(
      '{"counter":1,"stateVersion":0,"timestamp":1000}',
    );
  });

  it('is read with the time of reading for a missing timestamp', () => {
    expect(decodeDataVersion(Buffer.from('{"counter":null}'), 5000)).to.deep.equal({
      timestamp: 5000,
      counter: null,
      stateVersion: 0,
    });
  });

  it('has no counter where that is an empty text, as upstream', () => {
    expect(decodeDataVersion(Buffer.from('{"counter":"","timestamp":""}'), 5000)).to.deep.equal({
      timestamp: 5000,
      counter: null,
      stateVersion: 0,
    });
  });

  it('has no state version in 4.x, whatever stands there', () => {
    for (const stateVersion of ['7', '"x"', '[]', '{}', 'null']) {
      const body = Buffer.from(`{"counter":1,"stateVersion":${stateVersion},"timestamp":2}`);
      expect(decodeDataVersion(body, 5000, { fiveX: false }), stateVersion).to.deep.equal({
        timestamp: 2,
        counter: 1,
        stateVersion: 0,
      });
    }
    expect(() => decodeDataVersion(Buffer.from('{"stateVersion":"x"}'), 5000)).to.throw(DecodeError, 'stateVersion');
  });

  it('is none for no body and for null', () => {
    for (const body of [undefined, new Uint8Array(0), Buffer.from('null'), Buffer.from(' ')]) {
      expect(decodeDataVersion(body, 5000)).to.equal(undefined);
    }
  });

  it('is refused when its numbers are none', () => {
    expect(() => decodeDataVersion(Buffer.from('{"counter":"x"}'), 5000)).to.throw(
      DecodeError,
      'counter should be a 64-bit integer but is "x"',
    );
  });
});

describe('the KV configuration', () => {
  const TEXT = '{"configTable":{"ORDER_TOPIC_CONFIG":{"T1":"b-a:4"},"NS":{}}}';

  it('is one line, and keeps empty namespaces', () => {
    const table = decodeKvConfig(TEXT);
    expect(table).to.deep.equal(
      new Map([
        ['ORDER_TOPIC_CONFIG', new Map([['T1', 'b-a:4']])],
        ['NS', new Map()],
      ]),
    );
    expect(encodeKvConfig(table)).to.equal(TEXT);
  });

  it('is read without null values, and with the null keys of 4.7.1 as text', () => {
    expect(decodeKvConfig('{"configTable":{"NS":{"a":null,null:"x"},"E":null}}')).to.deep.equal(
      new Map([
        ['NS', new Map([['null', 'x']])],
        ['E', new Map()],
      ]),
    );
  });

  it('is refused without a table, with one sentence', () => {
    for (const text of ['', 'null', '{}', '{"configTable":null}']) {
      expect(() => decodeKvConfig(text), text).to.throw(DecodeError, 'the KV configuration has no configTable');
    }
    expect(() => decodeKvConfig('{"configTable":{')).to.throw(DecodeError, 'the JSON text is wrong');
  });
});
