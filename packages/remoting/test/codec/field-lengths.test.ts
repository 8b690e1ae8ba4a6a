import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { FrameTooLargeError } from '../../src/errors.js';
import { FrameDecoder } from '../../src/handler/frame-decoder.js';

const serializations = Object.entries(SerializeType) as [string, SerializeType][];

/** Goes over the wire and comes back. */
function roundTrip(command: RemotingCommand): RemotingCommand {
  const splitter = new FrameSplitter(64 << 20);
  splitter.push(Buffer.concat(encodeFrame(command)));
  const frame = splitter.next();
  if (frame === undefined) throw new Error('no frame');
  return decodeFrame(frame);
}

const around = (size: number): number[] => [size - 1, size, size + 1];

describe('lengths around the limits of signed and unsigned fields', () => {
  for (const [name, serializeType] of serializations) {
    for (const size of [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16, 2 ** 24].flatMap(around)) {
      it(`carry a body of ${size} bytes behind a ${name} header (W48)`, () => {
        const body = Buffer.alloc(size, 'b');
        const read = roundTrip(RemotingCommand.request(1, { serializeType, body }));
        expect(body.equals(read.body as Buffer)).to.equal(true);
      });
    }

    for (const size of [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16].flatMap(around)) {
      it(`carry a value and a remark of ${size} bytes in a ${name} header`, () => {
        const text = 'v'.repeat(size);
        const extFields = createExtFields({ name: text, last: 'x' });
        const read = roundTrip(RemotingCommand.request(1, { serializeType, remark: text, extFields }));
        expect(read.remark === text && read.extFields?.['name'] === text).to.equal(true);
        expect(read.extFields?.['last']).to.equal('x');
      });
    }

    for (const size of [...[2 ** 7, 2 ** 8].flatMap(around), 2 ** 15 - 1]) {
      it(`carry a field's name of ${size} bytes in a ${name} header`, () => {
        const extFields = createExtFields({ ['n'.repeat(size)]: 'value', last: 'x' });
        const read = roundTrip(RemotingCommand.request(1, { serializeType, extFields }));
        expect({ ...read.extFields }).to.deep.equal({ ...extFields });
      });
    }
  }

  for (const announced of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1]) {
    it(`refuse an announced frame of ${announced} bytes at once, as too large and not as negative`, () => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(announced);
      const splitter = new FrameSplitter();
      splitter.push(length);
      expect(() => splitter.next())
        .to.throw(FrameTooLargeError)
        .with.property('frameBytes', announced + 4);
    });
  }
});

describe('letters of more than one byte', () => {
  for (const [name, serializeType] of serializations) {
    it(`arrive whole in a ${name} header, wherever the stream is cut (W55)`, () => {
      const text = '😀é€𝄞\u{10ffff}"\\';
      const extFields = createExtFields({ [text]: text });
      const bytes = Buffer.concat(
        encodeFrame(RemotingCommand.request(1, { serializeType, remark: text, extFields, body: Buffer.from(text) })),
      );
      for (let cut = 1; cut < bytes.length; cut++) {
        const read: RemotingCommand[] = [];
        const channel = new EmbeddedChannel({
          decoder: new FrameDecoder(),
          end: { channelRead: (_ctx, message) => void read.push(message as RemotingCommand) },
        });
        channel.writeInbound(bytes.subarray(0, cut));
        channel.writeInbound(bytes.subarray(cut));
        expect(read).to.have.length(1);
        const [command] = read;
        expect([command?.remark, command?.extFields?.[text], String(command?.body)]).to.deep.equal([text, text, text]);
        channel.destroy();
      }
    });
  }
});
