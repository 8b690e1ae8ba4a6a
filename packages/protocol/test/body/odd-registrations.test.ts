import { DecodeError } from '@rmqns/remoting/command';
import { fastJsonParser, type JsonValue, parseFastJson } from '@rmqns/remoting/json';
import { expect } from 'chai';
import fc from 'fast-check';
import { registerBrokerBodyFromJson, registerBrokerBodyShape } from '../../src/body/register-broker-body-json.js';
import {
  allAtOnce,
  decodePlainRegisterBrokerBody,
  decodePlainRegisterBrokerBodyInSteps,
  type RegisterBrokerBody,
  type Steps,
} from '../../src/index.js';

/** A value where one of some properties is expected, or anything else. */
const odd = (value: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 6, arbitrary: value },
    fc.constantFrom('', 'null', null, [], {}, true, 1.5),
    fc.jsonValue({ maxDepth: 2 }),
  );

/** An object of some properties, each maybe in another spelling, and of others. */
function bean(properties: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, value]) => {
    const spelling = fc.constantFrom(name, name, name, name.toUpperCase(), `_${name}`, name.replace(/[A-Z]/g, '-$&'));
    return fc.option(fc.tuple(spelling, odd(value)), { freq: 8 });
  });
  const others = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 });
  return fc.tuple(others, fc.tuple(...members), fc.tuple(...members)).map(([first, some, more]) => {
    const given = [...some, ...more].filter((member) => member !== null);
    return Object.fromEntries([...Object.entries(first), ...given]);
  });
}

const number = fc.oneof(fc.nat(20), fc.constantFrom('7', '1,000', '6.0', '-1'));
const text = fc.constantFrom('a', 'b', 'TopicTest', '主题', '5');
const topicConfig = bean({
  topicName: text,
  readQueueNums: number,
  writeQueueNums: number,
  perm: number,
  topicFilterType: fc.constantFrom('SINGLE_TAG', 'MULTI_TAG', 1),
  topicSysFlag: number,
  order: fc.boolean(),
  attributes: fc.dictionary(text, odd(text), { maxKeys: 3 }),
});
const mapping = bean({
  topic: text,
  scope: text,
  totalQueues: number,
  bname: text,
  epoch: number,
  dirty: fc.boolean(),
  currIdMap: fc.dictionary(fc.constantFrom('0', '1', '2'), fc.oneof(fc.nat(9), fc.constant('1')), { maxKeys: 3 }),
});
const registration = bean({
  filterServerList: fc.array(odd(text), { maxLength: 3 }),
  topicConfigSerializeWrapper: bean({
    dataVersion: bean({ timestamp: number, counter: number, stateVersion: number }),
    topicConfigTable: fc.dictionary(text, odd(topicConfig), { maxKeys: 4 }),
    topicQueueMappingInfoMap: fc.dictionary(text, odd(mapping), { maxKeys: 3 }),
    topicQueueMappingDetailMap: fc.dictionary(text, fc.jsonValue(), { maxKeys: 2 }),
  }),
});

describe('a registration of which only what is read is made', () => {
  function outcome(read: () => Steps<RegisterBrokerBody>): unknown {
    try {
      return allAtOnce(read());
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return error.message;
    }
  }

  for (const fiveX of [true, false]) {
    it(`says what the whole of it says, as ${fiveX ? '5.x' : '4.x'} reads it`, () => {
      const options = { nowMillis: 5000, fiveX, withMappings: fiveX };
      const shape = registerBrokerBodyShape(options);
      const property = fc.property(registration, (each) => {
        const json = JSON.stringify(each);
        const made: JsonValue = fastJsonParser(json, { shape }).parse();
        expect(outcome(() => registerBrokerBodyFromJson(made, options))).to.deep.equal(
          outcome(() => registerBrokerBodyFromJson(parseFastJson(json), options)),
        );
      });
      fc.assert(property, { numRuns: 1000 });
    });
  }
});

describe('a large registration that no broker writes', () => {
  const options = { compressed: false, requestVersion: 479, nowMillis: 5000 };
  const topics = Array.from({ length: 3_000 }, (_, index) => `t${index}:{topicName:'t${index}',perm:6}`);
  const wrapperOf = (members: string): Buffer => Buffer.from(`{topicConfigSerializeWrapper:{${members}}}`);
  const wrapper = `topicConfigTable:{${topics.join()}}`;

  function stepsOf(bytes: Buffer, requestVersion = 479): { readonly steps: number; readonly body: RegisterBrokerBody } {
    const work = decodePlainRegisterBrokerBodyInSteps({ bytes }, { ...options, requestVersion });
    for (let steps = 1; ; steps++) {
      const { done, value } = work.next();
      if (done === true) return { steps, body: value };
    }
  }

  it('is read in steps, and so are its topics and mappings made of it', () => {
    const mappings = topics.map((_, index) => `t${index}:{bname:'b',currIdMap:{0:${index}}}`);
    const bytes = wrapperOf(`${wrapper},topicQueueMappingInfoMap:{${mappings.join()}}`);
    const { steps, body } = stepsOf(bytes);
    expect(steps).to.be.above(bytes.length / 32_768 + 60);
    const { topicConfigTable, topicQueueMappingInfoMap } = body.topicConfigSerializeWrapper;
    expect(topicConfigTable?.size).to.equal(3_000);
    expect(topicConfigTable?.get('t7')).to.include({ topicName: 't7', perm: 6, readQueueNums: 16 });
    expect(topicQueueMappingInfoMap.get('t7')?.currIdMap).to.deep.equal(new Map([[0, 7]]));
    expect(decodePlainRegisterBrokerBody({ bytes }, options)).to.deep.equal(body);
  });

  it('is read in steps as a bare topic table', () => {
    const { steps, body } = stepsOf(Buffer.from(`{${wrapper}}`), 36);
    expect(steps).to.be.above(30);
    expect(body.topicConfigSerializeWrapper.topicConfigTable?.size).to.equal(3_000);
  });

  it('is read with characters of several bytes wherever a step ends', () => {
    for (const before of ['', 'a', 'ab']) {
      const name = before + '主'.repeat(400_000);
      const { body } = stepsOf(wrapperOf(`topicConfigTable:{T:{topicName:'${name}'},U:{}}`));
      expect(body.topicConfigSerializeWrapper.topicConfigTable?.get('T')?.topicName).to.equal(name);
    }
  });

  it('may hold what nobody reads, as much as it likes', () => {
    const unread = `x:{${Array.from({ length: 20_000 }, (_, index) => `"m${index}":"unread"`).join()}}`;
    const { body } = stepsOf(wrapperOf(`${wrapper},${unread},topicQueueMappingDetailMap:{t:{${unread}}}`));
    expect(body.topicConfigSerializeWrapper.topicConfigTable?.size).to.equal(3_000);
  });

  it('is refused when a name or a map of texts holds more than 32,768 values', () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `"m${index}":"something"`).join();
    const rows: [string, string][] = [
      [`topicConfigTable:{T:{topicName:{${many}}}}`, 'more than'],
      [`topicConfigTable:{T:{attributes:{${many}}}}`, 'attributes holds more than 32768 members'],
      [`topicQueueMappingInfoMap:{T:{currIdMap:{${many}}}}`, 'currIdMap holds more than 32768 members'],
    ];
    for (const [members, message] of rows) expect(() => stepsOf(wrapperOf(members))).to.throw(DecodeError, message);
  });
});
