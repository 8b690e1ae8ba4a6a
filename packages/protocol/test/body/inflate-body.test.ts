import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { DecodeError } from '@rmqns/remoting/command';
import { expect } from 'chai';
import { inflateBody, inflateBodyOnThread } from '../../src/body/inflate-body.js';
import { allAtOnce, inflateRegisterBrokerBodyInSteps } from '../../src/index.js';

const GOOD = deflateSync(Buffer.from('T1 4 8 6 SINGLE_TAG '.repeat(20)));
const MEBIBYTE = 1024 * 1024;

function wrong(at: number): Buffer {
  const bytes = Buffer.from(GOOD);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
}

async function outcome(inflated: () => Buffer | Promise<Buffer>): Promise<string> {
  try {
    return (await inflated()).toString('latin1');
  } catch (error) {
    expect(error).to.be.instanceOf(DecodeError);
    return (error as DecodeError).message;
  }
}

describe('a body that is inflated on another thread', () => {
  const bodies: [string, readonly Uint8Array[], number?][] = [
    ['whole', [GOOD]],
    ['followed by anything', [Buffer.concat([GOOD, Buffer.from('more')]), Buffer.concat([GOOD, GOOD])]],
    ['cut anywhere', Array.from({ length: GOOD.length }, (_, length) => GOOD.subarray(0, length))],
    ['with any byte changed', Array.from({ length: GOOD.length }, (_, at) => wrong(at))],
    ['without a header', [deflateRawSync(Buffer.alloc(100))]],
    ['at a limit', [GOOD], 400],
    ['above a limit', [GOOD], 399],
    ['of many chunks', [deflateSync(randomBytes(MEBIBYTE))]],
    ['of 1 MiB', [deflateSync(Buffer.alloc(MEBIBYTE))]],
    ['of more, and 100 times its size', [deflateSync(Buffer.alloc(MEBIBYTE + 1))]],
  ];
  for (const [name, inputs, maxBytes = Infinity] of bodies) {
    it(`is what it would be at once, or refused with the same words: ${name}`, async () => {
      for (const bytes of inputs) {
        const onThread = await outcome(() => inflateBodyOnThread(bytes, maxBytes));
        expect(onThread).to.equal(await outcome(() => inflateBody(bytes, maxBytes)));
      }
    });
  }
});

describe('a registration inflated in steps', () => {
  const options = { compressed: true, requestVersion: 479, nowMillis: 0 };
  const large = randomBytes(64 * 1024);

  it('waits for another thread where it is longer than 64 KiB, and for nothing else', () => {
    const steps = inflateRegisterBrokerBodyInSteps(deflateSync(large), options);
    expect(steps.next().value).to.be.instanceOf(Promise);
    for (const [body, compressed] of [
      [deflateSync(large.subarray(0, 65_000)), true],
      [Buffer.alloc(100_000, '{'), false],
    ] as const) {
      const { bytes } = allAtOnce(inflateRegisterBrokerBodyInSteps(body, { ...options, compressed }));
      expect(bytes?.length).to.be.above(64_999);
    }
  });

  it('has the bytes, or throws what the thread found', async () => {
    const body = deflateSync(large);
    const steps = inflateRegisterBrokerBodyInSteps(body, options);
    await steps.next().value;
    expect(steps.next()).to.deep.equal({ done: true, value: { bytes: large, deflatedBytes: body.length } });
    body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    const failing = inflateRegisterBrokerBodyInSteps(body, options);
    await failing.next().value;
    expect(() => failing.next()).to.throw(DecodeError, 'incorrect data check');
  });
});
