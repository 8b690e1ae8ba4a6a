import { expect } from 'chai';
import fc from 'fast-check';
import { topicConfigOf } from '../../src/body/register-broker-body-json.js';
import { parseRequestJson } from '../../src/body/request-json.js';
import { JsonTopicReader } from '../../src/body/topic-reader.js';
import type { TopicConfig } from '../../src/index.js';

/** How a topic of this name may be written, also by somebody who means to mislead. */
const WRITTEN: readonly ((name: string) => string)[] = [
  (name) => `{"order":false,"perm":6,"topicFilterType":"SINGLE_TAG","topicName":"${name}","writeQueueNums":8}`,
  (name) => `{"perm":4,"topicName":"${name}"}`,
  (name) => `{"topicName":"${name}"}`,
  (name) => `{"attributes":{"a":"${name}"},"topicName":"${name}"}`,
  (name) => `{"attributes":{"topicName":"${name}"},"topicName":"other"}`,
  (name) => `{"attributes":{"topicName":"${name}"},"topic_name":"${name}"}`,
  (name) => `{"attributes":{"topicName":"${name}"},topicName:"other"}`,
  (name) => `{"topicName":"other","topicName":"${name}"}`,
  (name) => `{"topicName":"${name}","topicN\\u0061me":"other"}`,
  (name) => `{"topicName" : "${name}"}`,
  (name) => `{"topicName":"${name}","TopicName":"other"}`,
  (name) => `{"perm":"${name}"}`,
];
const name = fc.oneof(
  fc.constantFrom('a', 'b', 'topicName', 'other', '1', '__proto__', 'ä', '\u0001', 'a'.repeat(30)),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => !/["\\]/.test(text)),
);

/** What the parser alone makes of it. */
function parsed(key: string, text: string): TopicConfig | undefined | string {
  try {
    const json = parseRequestJson(text);
    const config = topicConfigOf(key, json, true);
    return config.topicName === key ? config : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('JsonTopicReader', () => {
  it('reads each topic of a body as the parser does, whatever came before', () => {
    const topic = fc.record({ name, other: fc.option(name, { freq: 5 }), form: fc.constantFrom(...WRITTEN) });
    fc.assert(
      fc.property(fc.array(topic, { maxLength: 12 }), (topics) => {
        const slices = topics.map(({ name, other, form }) => ({ key: name, text: form(other ?? name) }));
        const body = Buffer.from(slices.map(({ key, text }) => `"${key}":${text}`).join(','));
        const reader = new JsonTopicReader(body, true);
        let start = 0;
        for (const { key, text } of slices) {
          const nameEnd = start + Buffer.byteLength(key) + 2;
          const end = nameEnd + 1 + Buffer.byteLength(text);
          let read: TopicConfig | undefined | string;
          try {
            read = reader.read(start, nameEnd, end);
          } catch (error) {
            read = (error as Error).message;
          }
          expect(read).to.deep.equal(parsed(key, text));
          start = end + 1;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('parses no topic that differs from one before in nothing but its name', () => {
    const { parse } = JSON;
    let parses = 0;
    JSON.parse = (text: string) => {
      parses += 1;
      return parse(text);
    };
    try {
      const form = WRITTEN[0] as (name: string) => string;
      const slices = Array.from({ length: 100 }, (_, at) => `"T${100 + at}":${form(`T${100 + at}`)}`);
      const reader = new JsonTopicReader(Buffer.from(slices.join()), true);
      slices.forEach((slice, at) => {
        const start = at * (slice.length + 1);
        expect(reader.read(start, start + 6, start + slice.length)?.topicName).to.equal(`T${100 + at}`);
      });
    } finally {
      JSON.parse = parse;
    }
    expect(parses).to.equal(1);
  });
});
