import { expect } from 'chai';
import fc from 'fast-check';
import { describeFrame } from '../../src/codec/describe-frame.js';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { RemotingCommand, type RemotingCommandInit } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';

const frame = (init: RemotingCommandInit): Buffer => Buffer.concat(encodeFrame(new RemotingCommand(init)));

describe('describeFrame', () => {
  it('says all of a frame but the values', () => {
    const request = frame({
      code: 9001,
      opaque: 7,
      version: 479,
      extFields: { name: 'hunter2', 'a b': '1' },
      body: Buffer.from('secret'),
    });
    expect(describeFrame(request, { nameOf: (code) => `NAME_${code}` })).to.equal(
      `request 9001 NAME_9001 opaque=7 flag=00 JSON JAVA version=479 ext=[name, "a b"] body=6 frame=${request.length}`,
    );
  });

  it('says of an answer what its remark is', () => {
    const response = frame({
      code: 17,
      opaque: -1,
      flag: 1,
      remark: 'No topic\nroute',
      serializeType: SerializeType.ROCKETMQ,
    });
    expect(describeFrame(response)).to.match(
      /^response 17 opaque=-1 flag=01 ROCKETMQ JAVA version=0 remark="No topic\\nroute" body=0 frame=\d+$/,
    );
  });

  it('shows values and the begin of the body if it is told to', () => {
    const oneway = frame({
      code: 1,
      flag: 2,
      extFields: { a: 'x"y', b: 'z'.repeat(300) },
      body: Buffer.alloc(5, 0xab),
    });
    const text = describeFrame(oneway, { values: true, bodyBytes: 3 });
    expect(text).to.match(/^oneway 1 opaque=0 flag=10 .* ext=\[a="x\\"y", b="z{200}…"\] body=5 frame=\d+ ababab…$/);
  });

  it('shows 64 ext fields at most', () => {
    const extFields = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`f${index}`, '']));
    expect(describeFrame(frame({ code: 1, extFields }))).to.include('f63, … 6 more]');
  });

  it('says what is wrong with bytes that are no frame', () => {
    expect(describeFrame(Buffer.from([0, 0]))).to.equal('no frame: no length with 0 bytes behind it; 2 bytes: 0000');
    expect(describeFrame(Buffer.from('GET / HTTP/1.1\r\n'))).to.match(
      /^no frame: the length 1195725856 with 12 bytes behind it; 16 bytes: 47455420/,
    );
    expect(describeFrame(Buffer.from([0, 0, 0, 5, 9, 0, 0, 1, 0x7b]))).to.include('the serialize type 9');
  });

  it('is one line without control characters, whatever the bytes are', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
    const text = fc.string({ unit: 'binary' });
    const command = fc.record({ remark: text, extFields: fc.dictionary(text, text), body: fc.uint8Array() });
    fc.assert(
      fc.property(command, (init) => {
        expect(describeFrame(frame({ code: 1, ...init }), { values: true, bodyBytes: 8 })).not.to.match(control);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(describeFrame(bytes)).not.to.match(control);
      }),
    );
  });
});
