import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ChangedTopics,
  changedTopics,
  decodeRegisterBrokerBody,
  encodeRegisterBrokerBody,
  type TopicConfig,
  TopicSlices,
} from '../../src/index.js';

const options = { compressed: false, requestVersion: 479, nowMillis: 0 };

function config(topicName: string, over: Partial<TopicConfig> = {}): TopicConfig {
  const numbers = { readQueueNums: 8, writeQueueNums: 8, perm: 6, topicSysFlag: 0 };
  return { topicName, ...numbers, topicFilterType: 'SINGLE_TAG', order: false, ...over };
}

function bodyOf(configs: readonly TopicConfig[], { counter = 1, fiveX = true } = {}): Buffer {
  const wrapper = {
    dataVersion: { timestamp: 1, counter, stateVersion: 0 },
    topicConfigTable: new Map(configs.map((each) => [each.topicName ?? '', each])),
    topicQueueMappingInfoMap: new Map(),
  };
  const body = { topicConfigSerializeWrapper: wrapper, filterServerList: [] };
  return Buffer.from(encodeRegisterBrokerBody(body, { compressed: false, fiveX }));
}

const tableOf = (body: Uint8Array) =>
  decodeRegisterBrokerBody(body, options).topicConfigSerializeWrapper.topicConfigTable ??
  new Map<string, TopicConfig>();

function found(before: TopicSlices, body: Uint8Array): ChangedTopics {
  const result = changedTopics(before, body);
  if (result === undefined) throw new Error('the body was not taken');
  return result;
}

/** The slices of a body of its own. */
const slicesOf = (body: Uint8Array): TopicSlices => found(TopicSlices.NONE, body).slices;

const topic = fc.record({
  topicName: fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  ),
  perm: fc.constantFrom(2, 4, 6),
  readQueueNums: fc.integer({ min: 1, max: 99 }),
  attributes: fc.constantFrom(undefined, new Map([['+k{}"\\', '},{"x":']])),
});
const table = fc
  .uniqueArray(topic, { selector: ({ topicName }) => topicName, maxLength: 12 })
  .map((topics) => topics.map(({ topicName, ...over }) => config(topicName, over as Partial<TopicConfig>)));

describe('changedTopics', () => {
  it('finds just the topics that differ, however tables change, and what it leaves out is as it was', () => {
    const property = fc.property(table, table, fc.boolean(), (before, after, isEdited) => {
      const edited = isEdited ? before.map((each, index) => (index % 3 === 0 ? { ...each, perm: 1 } : each)) : after;
      const body = bodyOf(edited, { counter: 2 });
      const first = changedTopics(TopicSlices.NONE, bodyOf(before));
      const second = first && changedTopics(first.slices, body);
      // A name with an escape is left to the whole reader.
      if (second === undefined) return;
      const read = tableOf(second.body);
      const whole = tableOf(body);
      const old = tableOf(bodyOf(before));
      expect(read.size).to.equal(second.changed);
      for (const [name, each] of whole) expect(read.get(name) ?? old.get(name)).to.deep.equal(each);
      for (const name of read.keys()) expect(whole.has(name)).to.equal(true);
      expect(second.slices.size).to.equal(whole.size);
      expect(found(second.slices, body)).to.include({ changed: 0 });
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  const base = ['a', 'b', 'c', 'd'].map((name) => config(name));
  const [a, b, c, d] = base as [TopicConfig, TopicConfig, TopicConfig, TopicConfig];
  const cases: [string, TopicConfig[], string[]][] = [
    ['nothing', base, []],
    ['one topic', [a, { ...b, perm: 4 }, c, d], ['b']],
    ['a new topic in the middle', [a, b, config('x'), c, d], ['x']],
    ['a new topic at each end', [config('x'), ...base, config('y')], ['x', 'y']],
    ['topics that are gone', [a, d], []],
    ['all topics that are gone', [], []],
  ];
  for (const fiveX of [false, true]) {
    for (const [what, after, names] of cases) {
      it(`finds ${what} in a ${fiveX ? '5.x' : '4.x'} body, also when the data version differs`, () => {
        const { body } = found(slicesOf(bodyOf(base, { fiveX })), bodyOf(after, { fiveX, counter: 2 }));
        expect([...tableOf(body).keys()]).to.deep.equal(names);
        expect(decodeRegisterBrokerBody(body, options).topicConfigSerializeWrapper.dataVersion.counter).to.equal(2);
      });
    }
  }

  it('takes the body itself where all topics differ', () => {
    const body = bodyOf(base);
    expect(found(TopicSlices.NONE, body).body.buffer).to.equal(body.buffer);
    expect(found(TopicSlices.NONE, body).changed).to.equal(4);
  });

  it('gives up where a changed topic has the name of one that stands there unchanged: the last would count', () => {
    const body = bodyOf(base).toString();
    const twice = body.replace('"b":{', '"d":{"perm":2},"b":{');
    expect(changedTopics(slicesOf(bodyOf(base)), Buffer.from(twice))).to.equal(undefined);
  });

  const others: [string, (body: string) => string][] = [
    ['with blanks', (body) => body.replace('{', '{ ')],
    ['with an escape in a name', (body) => body.replace('"b":{', '"\\u0062":{')],
    ['with a comment', (body) => body.replace('"order"', '/* */"order"')],
    ['with apostrophes', (body) => body.replace('"SINGLE_TAG"', "'SINGLE_TAG'")],
    ['with a second table', (body) => body.replace(/\}\}$/, ',"topicConfigTable":{}}}')],
    ['with mappings of static topics', (body) => body.replace('InfoMap":{', 'InfoMap":{"a":{"bname":"x"}')],
    ['with a topic that is no object', (body) => body.replace('"b":{', '"b":1,"c":{')],
    ['that is cut short', (body) => body.slice(0, -5)],
    ['that is empty', () => ''],
  ];
  for (const [what, change] of others) {
    it(`leaves a body ${what} to the reader of the whole`, () => {
      expect(changedTopics(TopicSlices.NONE, Buffer.from(change(bodyOf(base).toString())))).to.equal(undefined);
    });
  }
});
