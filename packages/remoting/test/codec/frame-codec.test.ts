import { expect } from 'chai';
import { decodeFrame, encodeFrame } from '../../src/codec/frame-codec.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { DecodeError, RemotingError } from '../../src/errors.js';
import { membersOf } from '../command/members.js';

const encode = (command: RemotingCommand): Buffer => Buffer.concat(encodeFrame(command));
const roundTrip = (command: RemotingCommand): RemotingCommand => decodeFrame(encode(command).subarray(4));

/** A frame, without its length bytes, around a header. */
function frame(header: string | Buffer, { type = 0, headerBytes = header.length, body = '' } = {}): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(headerBytes, 0);
  word.writeUInt8(type, 0);
  return Buffer.concat([word, Buffer.from(header as string), Buffer.from(body)]);
}

/** A command whose header has exactly this many bytes. */
function commandOfHeader(byteLength: number, serializeType: SerializeType): RemotingCommand {
  const bare = RemotingCommand.request(1, { serializeType, remark: 'x' });
  const bareBytes = encode(bare).length - 8;
  return RemotingCommand.request(1, { serializeType, remark: 'x'.repeat(byteLength - bareBytes + 1) });
}

describe('frame codec', () => {
  it('refuses a body that is no Uint8Array, which would leave as so many zeros', () => {
    for (const serializeType of [SerializeType.JSON, SerializeType.ROCKETMQ]) {
      for (const body of ['text', [1, 2], new Uint16Array([1]), 'x'.repeat(5000)]) {
        const command = RemotingCommand.request(1, { serializeType, body: body as unknown as Uint8Array });
        expect(() => encode(command))
          .to.throw(RemotingError, 'body must be a Uint8Array')
          .with.property('code', 'ENCODE_FAILED');
      }
    }
    expect(roundTrip(RemotingCommand.request(1, { body: null as unknown as Uint8Array })).body).to.equal(undefined);
  });

  it('writes the header word of a JSON header of 261 bytes as 00 00 01 05 (A1)', () => {
    const bytes = encode(commandOfHeader(261, SerializeType.JSON));
    expect(bytes.subarray(4, 8).toString('hex')).to.equal('00000105');
    expect(bytes.readUInt32BE(0)).to.equal(265);
  });

  it('writes the header word of a binary header of 16777215 bytes as 01 ff ff ff (A2)', () => {
    const bytes = encode(commandOfHeader(16777215, SerializeType.ROCKETMQ));
    expect(bytes.subarray(4, 8).toString('hex')).to.equal('01ffffff');
    expect(decodeFrame(bytes.subarray(4)).remark).to.have.length(16777215 - 21);
  });

  it('refuses to write a header that needs more than 24 bits for its length', () => {
    expect(() => encodeFrame(commandOfHeader(16777216, SerializeType.ROCKETMQ)))
      .to.throw(RemotingError, 'a header of 16777216 bytes exceeds what a frame can carry, 16777215')
      .with.property('code', 'ENCODE_FAILED');
  });

  for (const serializeType of Object.values(SerializeType)) {
    const name = serializeType === SerializeType.JSON ? 'JSON' : 'ROCKETMQ';

    it(`reads what it wrote, without a body, from a ${name} header (A8)`, () => {
      const command = roundTrip(RemotingCommand.request(103, { version: 2333, opaque: 7, serializeType }));
      expect(membersOf(command)).to.deep.equal(
        membersOf(RemotingCommand.request(103, { version: 2333, opaque: 7, serializeType })),
      );
      expect(command.body).to.equal(undefined);
    });

    it(`reads what it wrote, with a body, from a ${name} header (A9)`, () => {
      const body = Buffer.from([0, 1, 2, 3, 4]);
      expect(roundTrip(RemotingCommand.request(103, { body, serializeType })).body).to.deep.equal(body);
    });

    it(`carries ext fields of a ${name} header (A10, A16)`, () => {
      const extFields = { stringValue: 'bilibili', intValue: '2333', doubleValue: '0.618', key: 'value' };
      const sent = RemotingCommand.response(11, 'Sample remark', { extFields, flag: 2, opaque: -3, serializeType });
      const received = roundTrip(sent);
      expect(received).to.deep.include({ code: 11, remark: 'Sample remark', flag: 3, opaque: -3, serializeType });
      expect({ ...received.extFields }).to.deep.equal(extFields);
    });
  }

  it('takes an empty body for no body', () => {
    const bytes = encode(RemotingCommand.request(1, { body: new Uint8Array(0) }));
    expect(decodeFrame(bytes.subarray(4)).body).to.equal(undefined);
  });

  it('puts a small body behind its header and passes a large one on uncopied', () => {
    expect(encodeFrame(RemotingCommand.request(1, { body: Buffer.alloc(4096) }))).to.have.length(1);
    const body = new Uint8Array(new ArrayBuffer(5000), 1, 4097);
    const buffers = encodeFrame(RemotingCommand.request(1, { body }));
    expect(buffers).to.have.length(2);
    expect(buffers[1]?.buffer).to.equal(body.buffer);
    expect(buffers[1]?.byteOffset).to.equal(1);
    expect(Buffer.concat(buffers).readUInt32BE(0)).to.equal(Buffer.concat(buffers).length - 4);
  });

  it('gives the body as a view of the frame (W56)', () => {
    const bytes = frame('{}', { body: 'abc' });
    const body = decodeFrame(bytes).body;
    expect(body?.buffer).to.equal(bytes.buffer);
    expect(body?.toString()).to.equal('abc');
  });

  it('keeps an empty text of a JSON header, which a binary one does not', () => {
    const extFields = createExtFields({ empty: '', full: 'x' });
    expect(roundTrip(RemotingCommand.request(1, { extFields })).extFields).to.deep.equal(extFields);
    expect(
      roundTrip(RemotingCommand.request(1, { extFields, serializeType: SerializeType.ROCKETMQ })).extFields,
    ).to.deep.equal(createExtFields({ full: 'x' }));
  });

  const refused: [string, Buffer, string][] = [
    ['a frame without a whole header word', Buffer.alloc(3), 'a frame has 4 bytes at least, but this one only 3'],
    [
      'a header longer than the frame (B4)',
      frame('{}', { headerBytes: 3 }),
      'a frame says that its header has 3 bytes, but only 2 are there',
    ],
    ['serialize type 2 (B4)', frame('{}', { type: 2 }), 'serialize type 2, but only 0 (JSON) and 1 (ROCKETMQ)'],
    ['serialize type 255 (P3)', frame('{}', { type: 255 }), 'serialize type 255'],
    ['an empty JSON header (P2)', frame(''), 'a JSON header must be an object, but is empty'],
    ['an empty binary header', frame('', { type: 1 }), 'a binary header has 21 bytes at least, but this one only 0'],
    ['a JSON header of garbage (B4)', frame('nonsense'), 'expected a value, found "nonsense"'],
    ['a JSON header that is cut short (P3)', frame('{"code":1'), 'expected "," or "}", found its end'],
  ];
  for (const [what, bytes, message] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => decodeFrame(bytes)).to.throw(DecodeError, message);
    });
  }
});
