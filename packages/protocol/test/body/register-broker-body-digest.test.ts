import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { bodyCrc32, digestRegisterBrokerBody, sameRegisterBrokerBody } from '../../src/index.js';

/** A body as a 5.3.3 broker writes it. */
function body({
  counter = 1,
  stamp = 1_700_000_000_000,
  filters = '',
  topic = 'T1',
  perm = 6,
  topics = 1,
} = {}): Buffer {
  const configs = Array.from(
    { length: topics },
    (_, index) => `"${topic}${index}":{"attributes":{},"order":false,"perm":${perm},"topicName":"${topic}${index}"}`,
  );
  return Buffer.from(
    `{"filterServerList":[${filters}],"topicConfigSerializeWrapper":{"dataVersion":{"counter":${counter},"stateVersion":0,"timestamp":1},` +
      `"mappingDataVersion":{"counter":0,"stateVersion":0,"timestamp":${stamp}},"topicConfigTable":{${configs.join()}},` +
      `"topicQueueMappingDetailMap":{},"topicQueueMappingInfoMap":{}}}`,
  );
}

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  sameRegisterBrokerBody(digestRegisterBrokerBody([a]), digestRegisterBrokerBody([b]));

describe('digestRegisterBrokerBody', () => {
  it('is the same whenever a 5.x broker sent the body: the stamp in mappingDataVersion does not count', () => {
    expect(same(body(), body({ stamp: 1_800_000_000_123 }))).to.equal(true);
    expect(same(body({ topics: 1000 }), body({ topics: 1000, stamp: 12 }))).to.equal(true);
    expect(same(body({ filters: '"f:1","f:2"' }), body({ filters: '"f:1","f:2"', stamp: 0 }))).to.equal(true);
  });

  const changes: [string, Buffer][] = [
    ['the data version', body({ counter: 2 })],
    ['the filter servers', body({ filters: '"f:1"' })],
    ['the name of a topic', body({ topic: 'T2' })],
    ['a permission', body({ perm: 4 })],
    ['the number of topics', body({ topics: 2 })],
  ];
  for (const [what, changed] of changes) {
    it(`differs with ${what}`, () => {
      expect(same(body(), changed)).to.equal(false);
    });
  }

  it('differs with any byte outside the stamp, near the opening or far from it', () => {
    const bytes = body({ topics: 100 });
    const start = bytes.indexOf('"mappingDataVersion":') + '"mappingDataVersion":'.length;
    const end = bytes.indexOf('}', start) + 1;
    const place = fc.integer({ min: 0, max: bytes.length - 1 }).filter((at) => at < start || at >= end);
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const other = Buffer.from(bytes);
        other[at] = (other[at] ?? 0) ^ flip;
        expect(same(bytes, other)).to.equal(false);
      }),
    );
  });

  it('looks for no stamp where a name holds a bracket or an apostrophe: the place may be inside a text', () => {
    for (const filters of ['"f]"', `"f'"`]) {
      expect(same(body({ filters }), body({ filters, stamp: 2 }))).to.equal(false);
      expect(same(body({ filters }), body({ filters }))).to.equal(true);
    }
  });

  it('compares other layouts whole', () => {
    const fourX = Buffer.from('{"topicConfigSerializeWrapper":{"dataVersion":{"counter":1,"timestamp":1}}}');
    const deflated = deflateSync(body({ topics: 50 }));
    for (const bytes of [fourX, deflated, Buffer.alloc(0), Buffer.from('x')]) expect(same(bytes, bytes)).to.equal(true);
    expect(same(deflated, deflateSync(body({ topics: 50, counter: 2 })))).to.equal(false);
  });

  it('says what the checksum of the body is, in one pass, whatever its length and layout', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 9000, size: 'max' }), fc.constant(body({ topics: 90 }))),
        (bytes) => {
          expect(digestRegisterBrokerBody([bytes]).bodyCrc32).to.equal(bodyCrc32(bytes));
        },
      ),
    );
    expect(digestRegisterBrokerBody([body()]).bodyCrc32).to.equal(bodyCrc32(body()));
  });

  it('is the same however the body is cut', () => {
    const whole = body({ topics: 120 });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(whole.length), fc.nat(20)), { maxLength: 5 }), (cuts) => {
        const ends = [...cuts, whole.length - 2, whole.length].sort((a, b) => a - b);
        const pieces = ends.map((end, i) => whole.subarray(ends[i - 1] ?? 0, end));
        expect(digestRegisterBrokerBody(pieces)).to.deep.equal(digestRegisterBrokerBody([whole]));
      }),
    );
  });

  it('keeps nothing of the body it was made of', () => {
    const bytes = body();
    const digest = digestRegisterBrokerBody([bytes]);
    bytes.fill(0);
    expect(sameRegisterBrokerBody(digest, digestRegisterBrokerBody([body()]))).to.equal(true);
  });
});
