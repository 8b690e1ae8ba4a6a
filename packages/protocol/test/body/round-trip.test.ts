import { toLong } from '@rmqns/remoting/json';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeKvConfig,
  decodeRegisterBrokerBody,
  decodeTopicRouteData,
  encodeKvConfig,
  encodeRegisterBrokerBody,
  encodeTopicRouteData,
  type RegisterBrokerBody,
  type TopicConfig,
  type TopicFilterType,
} from '../../src/index.js';

/** Ordinary objects: chai cannot sort Map entries without a prototype. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => toLong(value) ?? 0);
const int = fc.integer();
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const word = name.filter((text) => !text.includes(' '));
const textMap = fc.array(fc.tuple(name, name), { maxLength: 4 }).map((entries) => new Map(entries));

function topicConfig(topicName: string): fc.Arbitrary<TopicConfig> {
  return record({
    topicName: fc.constant(topicName),
    readQueueNums: int,
    writeQueueNums: int,
    perm: int,
    topicFilterType: fc.constantFrom<TopicFilterType>('SINGLE_TAG', 'MULTI_TAG'),
    topicSysFlag: int,
    order: fc.boolean(),
    attributes: textMap,
  });
}

function mappingInfo(topic: string) {
  return record({
    topic: fc.constant(topic),
    scope: name,
    totalQueues: int,
    bname: name,
    epoch: long,
    dirty: fc.boolean(),
    currIdMap: fc.array(fc.tuple(int, int), { maxLength: 4 }).map((entries) => new Map(entries)),
  });
}

/** Maps by name of things that carry that name. */
function byName<T>(names: fc.Arbitrary<string>, arbitraryOf: (name: string) => fc.Arbitrary<T>) {
  return fc
    .uniqueArray(names, { maxLength: 5 })
    .chain((keys) => fc.tuple(...keys.map((key) => arbitraryOf(key).map((value): [string, T] => [key, value]))))
    .map((entries) => new Map(entries));
}

const body: fc.Arbitrary<RegisterBrokerBody> = record({
  topicConfigSerializeWrapper: record({
    dataVersion: record({ timestamp: long, counter: long, stateVersion: long }),
    topicConfigTable: byName(word, topicConfig),
    topicQueueMappingInfoMap: byName(name, mappingInfo),
  }),
  filterServerList: fc.array(name, { maxLength: 3 }),
});

const route = record({
  orderTopicConf: fc.option(name, { nil: undefined }),
  queueDatas: fc.array(
    record({ brokerName: name, readQueueNums: int, writeQueueNums: int, perm: int, topicSysFlag: int }),
    { maxLength: 3 },
  ),
  brokerDatas: fc.array(
    record({
      cluster: name,
      brokerName: name,
      brokerAddrs: fc.array(fc.tuple(long, name), { maxLength: 3 }).map((entries) => new Map(entries)),
      zoneName: fc.option(name, { nil: undefined }),
      enableActingMaster: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  filterServerTable: byName(name, () => fc.array(name, { maxLength: 2 })),
  topicQueueMappingByBroker: fc.option(byName(name, mappingInfo), { nil: undefined }),
});

const read = { requestVersion: 479, nowMillis: 1 };

describe('any registration', () => {
  it('survives JSON', () => {
    fc.assert(
      fc.property(body, (value) => {
        const bytes = encodeRegisterBrokerBody(value, { compressed: false, fiveX: true });
        expect(decodeRegisterBrokerBody(bytes, { ...read, compressed: false })).to.deep.equal(value);
      }),
    );
  });

  it('survives compression, but for order and topicSysFlag', () => {
    fc.assert(
      fc.property(body, (value) => {
        const bytes = encodeRegisterBrokerBody(value, { compressed: true, fiveX: true });
        const wrapper = value.topicConfigSerializeWrapper;
        const topics = [...(wrapper.topicConfigTable ?? [])];
        const topicConfigTable = new Map(
          topics.map(([topic, config]) => [topic, { ...config, topicSysFlag: 0, order: false }]),
        );
        expect(decodeRegisterBrokerBody(bytes, { ...read, compressed: true })).to.deep.equal({
          ...value,
          topicConfigSerializeWrapper: { ...wrapper, topicConfigTable },
        });
      }),
    );
  });
});

describe('any route', () => {
  it('survives both flavours', () => {
    fc.assert(
      fc.property(route, fc.boolean(), (value, standardJson) => {
        const bytes = encodeTopicRouteData(value, { standardJson, queueFlagName: 'topicSysFlag', fiveX: true });
        expect(decodeTopicRouteData(bytes)).to.deep.equal(value);
      }),
    );
  });

  it('is strict JSON and ASCII in the standard flavour', () => {
    fc.assert(
      fc.property(route, (value) => {
        const bytes = encodeTopicRouteData(value, { standardJson: true, queueFlagName: 'topicSysFlag', fiveX: true });
        expect(bytes.every((byte) => byte < 0x80)).to.equal(true);
        expect(JSON.parse(bytes.toString())).to.be.an('object');
      }),
    );
  });
});

describe('any KV configuration', () => {
  it('survives its file', () => {
    fc.assert(
      fc.property(
        byName(name, () => textMap),
        (table) => {
          expect(decodeKvConfig(encodeKvConfig(table))).to.deep.equal(table);
        },
      ),
    );
  });
});
