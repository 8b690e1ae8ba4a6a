import { expect } from 'chai';
import fc from 'fast-check';
import {
  type ChangedTopics,
  changedTopics,
  decodePlainRegisterBrokerBody,
  encodeRegisterBrokerBody,
  inflateRegisterBrokerBody,
  type PlainRegisterBrokerBody,
  type TopicConfig,
  TopicSlices,
} from '../../src/index.js';

/** Which bodies a test is about. */
interface Form {
  readonly compressed: boolean;
  readonly fiveX: boolean;
}
const JSON_5X: Form = { compressed: false, fiveX: true };
const FORMS: readonly [string, Form][] = [
  ['JSON of 4.x', { compressed: false, fiveX: false }],
  ['JSON of 5.x', JSON_5X],
  ['compressed of 4.x', { compressed: true, fiveX: false }],
  ['compressed of 5.x', { compressed: true, fiveX: true }],
];
const optionsOf = (form: Form) => ({ ...form, requestVersion: form.fiveX ? 479 : 407, nowMillis: 0 });

function config(topicName: string, over: Partial<TopicConfig> = {}): TopicConfig {
  const numbers = { readQueueNums: 8, writeQueueNums: 8, perm: 6, topicSysFlag: 0 };
  return { topicName, ...numbers, topicFilterType: 'SINGLE_TAG', order: false, ...over };
}

function bodyOf(configs: readonly TopicConfig[], form: Form = JSON_5X, counter = 1): Buffer {
  const wrapper = {
    dataVersion: { timestamp: 1, counter, stateVersion: 0 },
    topicConfigTable: new Map(configs.map((each) => [each.topicName ?? '', each])),
    topicQueueMappingInfoMap: new Map(),
  };
  const body = { topicConfigSerializeWrapper: wrapper, filterServerList: [] };
  return Buffer.from(encodeRegisterBrokerBody(body, form));
}

const plain = (body: Uint8Array, form: Form = JSON_5X) => inflateRegisterBrokerBody(body, optionsOf(form));
const wrapperOf = (body: PlainRegisterBrokerBody, form: Form = JSON_5X) =>
  decodePlainRegisterBrokerBody(body, optionsOf(form)).topicConfigSerializeWrapper;
const tableOf = (body: PlainRegisterBrokerBody, form: Form = JSON_5X) =>
  wrapperOf(body, form).topicConfigTable ?? new Map<string, TopicConfig>();

function found(before: TopicSlices, body: PlainRegisterBrokerBody): ChangedTopics {
  const result = changedTopics(before, body);
  if (result === undefined) throw new Error('the body was not taken');
  return result;
}

/** The slices of a body of its own. */
const slicesOf = (body: PlainRegisterBrokerBody): TopicSlices => found(TopicSlices.NONE, body).slices;

const topic = fc.record({
  topicName: fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    // No compressed body carries a name with a blank.
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((text) => text.replaceAll(' ', '_')),
  ),
  perm: fc.constantFrom(2, 4, 6),
  readQueueNums: fc.oneof(fc.constant(8), fc.integer({ min: 1, max: 99 })),
  attributes: fc.constantFrom(
    undefined,
    new Map([['+k{}"\\', '},{"x":']]),
    new Map([['topicName', 'a']]),
    new Map([['k', '"topicName":"a"']]),
  ),
});
const table = fc
  .uniqueArray(topic, { selector: ({ topicName }) => topicName, maxLength: 12 })
  .map((topics) => topics.map(({ topicName, ...over }) => config(topicName, over as Partial<TopicConfig>)));

describe('changedTopics', () => {
  for (const [what, form] of FORMS) {
    it(`finds just the topics that differ, however tables change, and what it leaves out is as it was: ${what}`, () => {
      const property = fc.property(table, table, fc.boolean(), (before, after, isEdited) => {
        const edited = isEdited ? before.map((each, index) => (index % 3 === 0 ? { ...each, perm: 1 } : each)) : after;
        const old = plain(bodyOf(before, form), form);
        const body = plain(bodyOf(edited, form, 2), form);
        const first = changedTopics(TopicSlices.NONE, old);
        const second = first && changedTopics(first.slices, body);
        // A name with an escape is left to the whole reader.
        if (second === undefined) return;
        const read = tableOf(second.body(), form);
        const whole = tableOf(body, form);
        expect(read.size).to.equal(second.changed);
        for (const [name, each] of whole) expect(read.get(name) ?? tableOf(old, form).get(name)).to.deep.equal(each);
        for (const name of read.keys()) expect(whole.has(name)).to.equal(true);
        expect(second.slices.size).to.equal(whole.size);
        expect(found(second.slices, body)).to.include({ changed: 0 });
        const topics = [...second.topics(form.fiveX)];
        expect(topics).to.have.deep.members([...read.values()]);
        expect(tableOf(second.bodyWithoutTopics, form).size).to.equal(0);
      });
      fc.assert(property, { numRuns: 500 });
    });
  }

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
  for (const [form, kind] of FORMS) {
    for (const [what, after, names] of cases) {
      it(`finds ${what}, ${form}, also when the data version differs`, () => {
        const before = slicesOf(plain(bodyOf(base, kind), kind));
        const body = found(before, plain(bodyOf(after, kind, 2), kind)).body();
        expect([...tableOf(body, kind).keys()]).to.deep.equal(names);
        expect(wrapperOf(body, kind).dataVersion.counter).to.equal(2);
      });
    }
  }

  for (const [what, form] of FORMS) {
    it(`takes topics of 8 KiB, and no body with a longer one: ${what}`, () => {
      const bodyWith = (bytes: number) => plain(bodyOf([config('x'.repeat(bytes)), a], form), form);
      expect(changedTopics(TopicSlices.NONE, bodyWith(3_900))?.changed).to.equal(2);
      expect(changedTopics(TopicSlices.NONE, bodyWith(8_200))).to.equal(undefined);
    });
  }

  it('takes the body itself where all topics differ', () => {
    const body = plain(bodyOf(base));
    expect(found(TopicSlices.NONE, body).body()).to.equal(body);
    expect(found(TopicSlices.NONE, body).changed).to.equal(4);
  });

  it('gives up where a changed topic has the name of one that stands there unchanged: the last would count', () => {
    const body = bodyOf(base).toString();
    const twice = body.replace('"b":{', '"d":{"perm":2},"b":{');
    expect(changedTopics(slicesOf(plain(bodyOf(base))), plain(Buffer.from(twice)))).to.equal(undefined);
  });

  it('leaves a compressed body to the reader of the whole that announces more topics than it may have, or than there are', () => {
    const form = { compressed: true, fiveX: true };
    const bytes = plain(bodyOf(base, form), form).bytes ?? Buffer.alloc(0);
    const countAt = 4 + bytes.readInt32BE(0);
    expect(bytes.readInt32BE(countAt)).to.equal(4);
    for (const count of [5, 9, 1_000_000, -1]) {
      const other = Buffer.from(bytes);
      other.writeInt32BE(count, countAt);
      const result = changedTopics(TopicSlices.NONE, { bytes: other, deflatedBytes: 100 });
      // What follows the topics may look like one.
      if (count !== 5) expect(result, String(count)).to.equal(undefined);
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = { bytes: bytes.subarray(0, length), deflatedBytes: 100 };
      const result = changedTopics(TopicSlices.NONE, cut);
      if (result !== undefined) expect(() => tableOf(result.body(), form)).to.throw('cut short');
    }
  });

  it('reads mappings of static topics with the few topics that changed', () => {
    const withMapping = (bytes: Buffer) =>
      plain(Buffer.from(bytes.toString().replace('InfoMap":{', 'InfoMap":{"a":{"bname":"x","topic":"a"}')));
    const first = withMapping(bodyOf(base));
    const second = withMapping(bodyOf([a, { ...b, perm: 2 }, c, d], JSON_5X, 2));
    const result = found(slicesOf(first), second);
    expect([...result.topics(true)].map((each) => each?.topicName)).to.deep.equal(['b']);
    const { topicConfigTable, topicQueueMappingInfoMap } = wrapperOf(result.bodyWithoutTopics);
    expect(topicConfigTable?.size).to.equal(0);
    expect(topicQueueMappingInfoMap).to.deep.equal(wrapperOf(second).topicQueueMappingInfoMap);
    expect(topicQueueMappingInfoMap.size).to.equal(1);
  });

  const others: [string, (body: string) => string][] = [
    ['with blanks', (body) => body.replace('{', '{ ')],
    ['with an escape in a name', (body) => body.replace('"b":{', '"\\u0062":{')],
    ['with a comment', (body) => body.replace('"order"', '/* */"order"')],
    ['with apostrophes', (body) => body.replace('"SINGLE_TAG"', "'SINGLE_TAG'")],
    ['with a second table', (body) => body.replace(/\}\}$/, ',"topicConfigTable":{}}}')],
    [
      'with very many mappings of static topics',
      (body) => body.replace('InfoMap":{', `InfoMap":{"a":{"bname":"${'x'.repeat(65_536)}"}`),
    ],
    [
      'with mappings of static topics and a second wrapper',
      (body) => body.replace(/InfoMap":\{\}\}/, 'InfoMap":{"a":{"bname":"x"}}},"topicConfigSerializeWrapper":{}'),
    ],
    [
      'with mappings of static topics and a name that is written otherwise',
      (body) => body.replace('InfoMap":{}', 'InfoMap":{"a":{"bname":"x"}},"topicC\\u006fnfigTable":{}'),
    ],
    ['with a topic that is no object', (body) => body.replace('"b":{', '"b":1,"c":{')],
    ['that is cut short', (body) => body.slice(0, -5)],
    ['that is empty', () => ''],
  ];
  for (const [what, change] of others) {
    it(`leaves a body ${what} to the reader of the whole`, () => {
      expect(changedTopics(TopicSlices.NONE, plain(Buffer.from(change(bodyOf(base).toString()))))).to.equal(undefined);
    });
  }
});
