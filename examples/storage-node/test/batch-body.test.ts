import { CommandError } from '@rmqns/remoting';
import { loadStorageNodeVectors } from '@rmqns/test-kit';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBatch } from '../src/batch-body.js';
import { batchBody } from './batch.js';

function captured(name: string): Buffer {
  const vector = loadStorageNodeVectors().find((candidate) => candidate.name === name);
  const frame = Buffer.from(vector?.request.frame_base64 ?? '', 'base64');
  return frame.subarray(8 + frame.readUIntBE(5, 3));
}

describe('the body of a batch', () => {
  it("of Java's is split into its four messages", () => {
    const messages = decodeBatch(captured('320-batch.java-4.9.7'));
    expect(messages.length).to.equal(4);
    for (const { properties } of messages) expect(Buffer.from(properties).toString()).to.contain('UNIQ_KEY\u0001');
  });

  it("of Go's is split into its two messages, without keys", () => {
    const messages = decodeBatch(captured('320-batch.go'));
    expect(messages.map(({ body }) => Buffer.from(body).toString())).to.deep.equal([
      '1795959843186378308#b1',
      '1795959843186378308#b2',
    ]);
    for (const { properties } of messages) {
      expect(Buffer.from(properties).toString()).to.equal('TAGS\u0001go1795959843186378308\u0002');
    }
  });

  it('of any messages is taken apart into the same', () => {
    const message = fc.record({
      flag: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      body: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
      properties: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
        expect(decodeBatch(batchBody(messages))).to.deep.equal(messages);
      }),
    );
  });

  it('is refused with code 13 when it is empty or a length is wrong', () => {
    const whole = batchBody([
      { flag: 0, body: Buffer.from('one'), properties: Buffer.alloc(0) },
      { flag: 0, body: Buffer.from('two'), properties: Buffer.from('A\u0001b\u0002') },
    ]);
    const broken = [Buffer.alloc(0), whole.subarray(0, whole.length - 1), Buffer.concat([whole, Buffer.alloc(3)])];
    for (const [at, value] of [
      [0, 0],
      [0, -1],
      [0, 26],
      [0, 2 ** 31 - 1],
      [16, -1],
      [16, 2],
      [16, 2 ** 31 - 1],
    ] as const) {
      const changed = Buffer.from(whole);
      changed.writeInt32BE(value, at);
      broken.push(changed);
    }
    for (const body of broken) {
      expect(() => decodeBatch(body), body.toString('hex'))
        .to.throw(CommandError)
        .with.property('responseCode', 13);
    }
  });

  it('has 10,000 records at most', () => {
    const record = { flag: 0, body: Buffer.alloc(0), properties: Buffer.alloc(0) };
    const full = new Array(10_000).fill(record);
    expect(decodeBatch(batchBody(full)).length).to.equal(10_000);
    expect(() => decodeBatch(batchBody([...full, record])))
      .to.throw(CommandError, 'more than 10000 records')
      .with.property('responseCode', 13);
  });
});
