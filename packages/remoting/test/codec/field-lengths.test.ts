import { expect } from 'chai';
import { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { FrameSplitter } from '../../src/codec/frame-splitter.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { DecodeError, FrameTooLargeError, RemotingError } from '../../src/errors.js';
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

const sizes = [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16, 2 ** 24].flatMap(around);
/** Of the field in the header word. */
const MAX_HEADER_BYTES = 2 ** 24 - 1;
/** A frame around its body, and a binary header around a remark or a value of the field `n`. */
const HEADER_WORD_BYTES = 4;
const PLAIN_HEADER_BYTES = 21;
const ENTRY_BYTES = 2 + 1 + 4;

/** A command whose header takes so many bytes, by its remark. */
function withHeader(serializeType: SerializeType, headerBytes: number): RemotingCommand {
  const command = RemotingCommand.request(1, { serializeType, remark: 'r' });
  const leastBytes = Buffer.concat(encodeFrame(command)).readUIntBE(5, 3);
  command.remark = 'r'.repeat(headerBytes - leastBytes + 1);
  return command;
}

/** What has no room in a frame fails where it is sent, and says so. */
function expectRefused(command: RemotingCommand, message: string): void {
  expect(() => encodeFrame(command))
    .to.throw(RemotingError, message)
    .with.property('code', 'ENCODE_FAILED');
}

describe('lengths around the limits of signed and unsigned fields', () => {
  for (const [name, serializeType] of serializations) {
    for (const size of sizes) {
      it(`carry a body of ${size} bytes behind a ${name} header (W48)`, () => {
        const body = Buffer.alloc(size, 'b');
        const read = roundTrip(RemotingCommand.request(1, { serializeType, body }));
        expect(body.equals(read.body as Buffer)).to.equal(true);
      });

      it(`carry a frame of ${size} bytes with a ${name} header (W48)`, () => {
        const command = withHeader(serializeType, 120);
        const body = Buffer.alloc(size - HEADER_WORD_BYTES - 120, 'b');
        command.body = body;
        expect(encodeFrame(command)[0]?.readUInt32BE(0)).to.equal(size);
        const read = roundTrip(command);
        expect([read.remark, Buffer.from(read.body ?? []).equals(body)]).to.deep.equal([command.remark, true]);
      });

      it(`${size <= MAX_HEADER_BYTES ? 'carry' : 'refuse'} a ${name} header of ${size} bytes (W48)`, () => {
        const command = withHeader(serializeType, size);
        command.body = Buffer.from('behind it');
        if (size > MAX_HEADER_BYTES) {
          expectRefused(command, `a header of ${size} bytes exceeds what a frame can carry, ${MAX_HEADER_BYTES}`);
          return;
        }
        expect(encodeFrame(command)[0]?.readUIntBE(5, 3)).to.equal(size);
        const read = roundTrip(command);
        expect([read.remark === command.remark, String(read.body)]).to.deep.equal([true, 'behind it']);
      });

      it(`${size < 2 ** 24 - 1 ? 'carry' : 'refuse'} a value and a remark of ${size} bytes in a ${name} header (W48)`, () => {
        const text = 'v'.repeat(size);
        for (const init of [{ remark: text }, { extFields: createExtFields({ name: text, last: 'x' }) }]) {
          const command = RemotingCommand.request(1, { serializeType, ...init });
          if (size >= 2 ** 24 - 1) {
            expectRefused(command, 'exceeds what a frame can carry');
            continue;
          }
          const read = roundTrip(command);
          expect((init.remark ?? init.extFields?.['name']) === (read.remark ?? read.extFields?.['name'])).to.equal(
            true,
          );
          expect(read.extFields?.['last']).to.equal(init.extFields?.['last']);
        }
      });
    }

    for (const size of [2 ** 7, 2 ** 8, 2 ** 15, 2 ** 16].flatMap(around)) {
      const carries = serializeType === SerializeType.JSON || size < 2 ** 15;
      it(`${carries ? 'carry' : 'refuse'} a field's name of ${size} bytes in a ${name} header (W48)`, () => {
        const extFields = createExtFields({ ['n'.repeat(size)]: 'value', last: 'x' });
        const command = RemotingCommand.request(1, { serializeType, extFields });
        if (carries) expect({ ...roundTrip(command).extFields }).to.deep.equal({ ...extFields });
        else expectRefused(command, `an ext field's name has ${size} bytes, but a binary header carries 32767 at most`);
      });
    }
  }

  for (const size of sizes.filter((size) => size <= MAX_HEADER_BYTES - PLAIN_HEADER_BYTES)) {
    it(`carry ext fields of ${size} bytes together in a ROCKETMQ header (W48)`, () => {
      const value = 'v'.repeat(size - ENTRY_BYTES);
      const { ROCKETMQ: serializeType } = SerializeType;
      const command = RemotingCommand.request(1, { serializeType, extFields: createExtFields({ n: value }) });
      expect(Buffer.concat(encodeFrame(command)).readInt32BE(8 + PLAIN_HEADER_BYTES - 4)).to.equal(size);
      expect(roundTrip(command).extFields?.['n'] === value).to.equal(true);
    });
  }

  /** A binary header with ext field `n`, where a length can say what it likes. */
  const lying = (at: number, length: number, width: 2 | 4): Buffer => {
    const { ROCKETMQ: serializeType } = SerializeType;
    const command = RemotingCommand.request(1, { serializeType, remark: 'r', extFields: createExtFields({ n: 'v' }) });
    const frame = Buffer.concat(encodeFrame(command)).subarray(4);
    frame.writeUIntBE(length, HEADER_WORD_BYTES + at, width);
    return frame;
  };
  const REMARK_AT = 13;
  const EXT_AT = REMARK_AT + 4 + 1;
  const NAME_AT = EXT_AT + 4;
  const VALUE_AT = NAME_AT + 2 + 1;
  for (const [what, at, width] of [
    ['remark', REMARK_AT, 4],
    ['extFields', EXT_AT, 4],
    ["ext field's name", NAME_AT, 2],
    ["ext field's value", VALUE_AT, 4],
  ] as const) {
    it(`refuse the length of the ${what} when so many bytes are not there (W48)`, () => {
      for (const length of [...sizes, ...around(2 ** 31), 2 ** 32 - 1].filter((length) => length < 256 ** width)) {
        const frame = lying(at, length, width);
        // As Apache's decoders do, which look whether it is above 0.
        if (what === 'extFields' && length >= 2 ** 31) expect(decodeFrame(frame).extFields).to.equal(undefined);
        else
          expect(() => decodeFrame(frame)).to.throw(DecodeError, new RegExp(`${what} has -?\\d+ bytes, but \\d+ are`));
      }
    });
  }

  for (const announced of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1]) {
    it(`refuse an announced frame of ${announced} bytes at once, as too large and not as negative (W48)`, () => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(announced);
      const splitter = new FrameSplitter();
      splitter.push(length);
      expect(() => splitter.next())
        .to.throw(FrameTooLargeError)
        .with.property('frameBytes', announced + 4);
    });
  }

  it('of 2^31 are no frame that can be sent, and of one byte less are one (W48)', () => {
    // The system gives memory that nobody writes to only when it is read, and none of this is.
    const bytes = Buffer.alloc(2 ** 31);
    const command = withHeader(SerializeType.JSON, 120);
    for (const size of around(2 ** 31)) {
      command.body = bytes.subarray(0, size - HEADER_WORD_BYTES - 120);
      if (size >= 2 ** 31) expect(() => encodeFrame(command)).to.throw(FrameTooLargeError, `a frame of ${size} bytes`);
      else expect(encodeFrame(command)[0]?.readUInt32BE(0)).to.equal(size);
    }
  });
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
