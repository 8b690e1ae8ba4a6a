import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { compressed } from '../../src/command/compressed-body.js';
import { type BodyCodec, bytes } from '../../src/command/define-command.js';
import { json } from '../../src/command/json-body.js';
import { optionalBody } from '../../src/command/optional-body.js';
import { text } from '../../src/command/text-body.js';
import { DecodeError, type RemotingError } from '../../src/errors.js';

function error(run: () => unknown): RemotingError {
  try {
    run();
  } catch (thrown) {
    return thrown as RemotingError;
  }
  return expect.fail('nothing was thrown');
}

describe('json()', () => {
  interface Point {
    readonly x: number;
  }

  const point = json<Point>((value) => {
    const { x } = value as Partial<Point>;
    if (typeof x !== 'number') throw new TypeError('x must be a number');
    return { x };
  });

  it('gives back any JSON value', () => {
    const codec = json<unknown>();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(codec.decode(codec.encode(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('gives what the validation made of it, and says why that refused', () => {
    expect(point.decode(Buffer.from('{"x":1,"y":2}'))).to.deep.equal({ x: 1 });
    const refused = error(() => point.decode(Buffer.from('{"x":"1"}')));
    expect(refused).to.be.instanceOf(DecodeError);
    expect(refused.message).to.equal('the JSON body is not what it should be: x must be a number');
  });

  it('names a missing body and one that is no JSON, without a part of it', () => {
    expect(error(() => point.decode(undefined)).message).to.equal('the JSON body is missing');
    for (const bad of [Buffer.from('{"secret'), Buffer.of(0x22, 0xff, 0x22)]) {
      const broken = error(() => point.decode(bad));
      expect([broken.code, broken.message, broken.cause]) //
        .to.deep.equal(['DECODE_FAILED', `the body of ${bad.length} bytes is not JSON`, undefined]);
    }
  });

  it('refuses to write what JSON does not have', () => {
    for (const value of [1n, undefined, () => 1])
      expect(error(() => json<unknown>().encode(value)).code).to.equal('ENCODE_FAILED');
  });
});

describe('text()', () => {
  it('gives back any text, and none for the empty one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(text().decode(text().encode(value))).to.equal(value);
      }),
    );
    expect([text().encode(''), text().decode(undefined)]).to.deep.equal([undefined, '']);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(error(() => text().decode(Buffer.of(0xff))).message).to.equal('the body of 1 bytes is not UTF-8');
  });
});

describe('optionalBody()', () => {
  it('lets a body be missing', () => {
    const codec: BodyCodec<{ a: number } | undefined> = optionalBody(json<{ a: number }>());
    expect([codec.encode(undefined), codec.decode(undefined)]).to.deep.equal([undefined, undefined]);
    expect(codec.decode(codec.encode({ a: 1 }))).to.deep.equal({ a: 1 });
  });
});

describe('compressed()', () => {
  it('gives back any body, on both sides of the threshold', () => {
    const codec = compressed(bytes(), { thresholdBytes: 50 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        const decoded = codec.decode(codec.encode(body));
        expect(Uint8Array.from(decoded ?? [])).to.deep.equal(body);
      }),
    );
    expect([codec.encode(undefined), codec.encode(Buffer.of()), codec.decode(undefined)]) //
      .to.deep.equal([undefined, undefined, undefined]);
  });

  it('compresses from the threshold on, and writes a stream that zlib reads below it too', () => {
    const body = 'a'.repeat(4096);
    expect(compressed(text()).encode(body)?.length).to.be.below(100);
    const stored = compressed(text()).encode(body.slice(1));
    expect(stored?.length).to.equal(4095 + 11);
    expect(compressed(text(), { thresholdBytes: 0 }).decode(stored)).to.equal(body.slice(1));
  });

  it('reads what upstream writes at its levels', () => {
    for (const level of [1, 5, 9])
      expect(compressed(text()).decode(deflateSync('hello '.repeat(99), { level }))).to.equal('hello '.repeat(99));
  });

  it('allocates no more than its limit for a body that inflates to much more', () => {
    const bomb = deflateSync(Buffer.alloc(4 * 1024 * 1024));
    const refused = error(() => compressed(bytes(), { maxBytes: 1000 }).decode(bomb));
    expect([refused.code, refused.message]) //
      .to.deep.equal(['DECODE_FAILED', `the compressed body of ${bomb.length} bytes inflates to more than 1000`]);
    expect(compressed(bytes(), { maxBytes: 4 * 1024 * 1024 }).decode(bomb)?.length).to.equal(4 * 1024 * 1024);
  });

  it('refuses a stream that is cut, changed, followed by more, or none', () => {
    const whole = deflateSync('hello '.repeat(99));
    const codec = compressed(text());
    for (let end = 0; end < whole.length; end++)
      expect(error(() => codec.decode(whole.subarray(0, end))).code, `cut at ${end}`).to.equal('DECODE_FAILED');
    const changed = Buffer.from(whole);
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
    expect(error(() => codec.decode(changed)).code).to.equal('DECODE_FAILED');
    expect(error(() => codec.decode(Buffer.concat([whole, whole]))).message).to.match(/bytes behind its zlib stream/);
    expect(error(() => codec.decode(Buffer.from('plain text'))).message).to.match(/is no zlib stream/);
  });

  it('passes on what the inner body refuses', () => {
    expect(error(() => compressed(json()).decode(deflateSync('{'))).message).to.equal(
      'the body of 1 bytes is not JSON',
    );
    expect(error(() => compressed(json()).decode(undefined)).message).to.equal('the JSON body is missing');
  });

  it('refuses options that cannot be', () => {
    for (const options of [{ level: 0 }, { level: 10 }, { maxBytes: 0 }, { thresholdBytes: 1.5 }])
      expect(error(() => compressed(bytes(), options)).code).to.equal('INVALID_ARGUMENT');
  });
});
