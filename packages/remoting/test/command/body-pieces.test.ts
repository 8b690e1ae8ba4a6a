import { expect } from 'chai';
import fc from 'fast-check';
import { PAGE_BYTES, takePage } from '../../src/buffer/page-pool.js';
import { decodeFrame, decodeFrameInPieces, encodeFrame } from '../../src/codec/frame-codec.js';
import { bodyPieces, joinBodyInSteps, releaseBody, setBodyPieces } from '../../src/command/body-pieces.js';
import { createExtFields, RemotingCommand } from '../../src/command/remoting-command.js';
import { SerializeType } from '../../src/command/serialize-type.js';
import { membersOf } from './members.js';

describe('body in pieces', () => {
  it('is joined when it is asked for, once', () => {
    const command = RemotingCommand.request(1);
    setBodyPieces(command, [Buffer.from('ab'), Buffer.from('cd')]);
    expect(bodyPieces(command)).to.have.length(2);
    const { body } = command;
    expect(String(body)).to.equal('abcd');
    expect(command.body).to.equal(body);
    expect(bodyPieces(command)).to.deep.equal([body]);
    expect(command.copy().body).to.equal(body);
  });

  it('is joined in steps, too', () => {
    const command = RemotingCommand.request(1);
    setBodyPieces(
      command,
      ['ab', 'cd', 'ef', 'g'].map((text) => Buffer.from(text)),
    );
    expect([...joinBodyInSteps(command, 3)]).to.have.length(1);
    expect(bodyPieces(command).map(String)).to.deep.equal(['abcdefg']);
    expect([...joinBodyInSteps(command, 3)]).to.have.length(0);
    setBodyPieces(
      command,
      ['ab', 'cd'].map((text) => Buffer.from(text)),
    );
    const steps = joinBodyInSteps(command, 1);
    steps.next();
    const { body } = command;
    expect(steps.next().done).to.equal(true);
    expect(command.body).to.equal(body);
  });

  it('gives way to a body that is set', () => {
    const command = RemotingCommand.request(1);
    setBodyPieces(command, [Buffer.from('ab'), Buffer.from('cd')]);
    command.body = Buffer.from('x');
    expect(String(command.body)).to.equal('x');
    expect(bodyPieces(command)).to.deep.equal([Buffer.from('x')]);
    command.body = undefined;
    expect(bodyPieces(command)).to.deep.equal([]);
  });

  it('is one piece, or none, of a command that came in one', () => {
    const body = Buffer.from('body');
    expect(bodyPieces(RemotingCommand.request(1, { body }))).to.deep.equal([body]);
    expect(bodyPieces(RemotingCommand.request(1, { body: Buffer.alloc(0) }))).to.deep.equal([]);
    expect(bodyPieces(RemotingCommand.request(1))).to.deep.equal([]);
  });

  for (const [when, letGo] of Object.entries({
    'is joined': (command: RemotingCommand): unknown => command.body,
    'is released': (command: RemotingCommand): unknown => releaseBody(command),
  })) {
    it(`gives the pages of the pool back when it ${when}, once, and keeps the ext fields that lie there`, () => {
      const page = takePage();
      const whole = Buffer.concat(
        encodeFrame(RemotingCommand.request(3, { extFields: createExtFields({ a: 'b' }), body: Buffer.alloc(70_000) })),
      ).subarray(4);
      whole.copy(page);
      const command = decodeFrameInPieces([page, whole.subarray(PAGE_BYTES)], undefined, [page]);
      letGo(command);
      releaseBody(command);
      expect(command.body).to.equal(undefined);
      expect(bodyPieces(command)).to.deep.equal([]);
      expect(takePage()).to.equal(page);
      expect(takePage()).to.not.equal(page);
      page.fill(0);
      expect(command.extFields).to.deep.equal(createExtFields({ a: 'b' }));
    });
  }

  it('is released of a command that has it in one piece, too', () => {
    const command = RemotingCommand.request(1, { body: Buffer.from('body') });
    releaseBody(command);
    expect(command.body).to.equal(undefined);
    releaseBody(RemotingCommand.request(1));
  });

  it('makes no other command of a frame, wherever that is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(SerializeType)),
        fc.uint8Array({ maxLength: 60 }),
        fc.array(fc.nat(160), { maxLength: 6 }),
        (serializeType, body, cuts) => {
          const command = RemotingCommand.request(3, { serializeType, body, extFields: createExtFields({ a: 'b' }) });
          const frame = Buffer.concat(encodeFrame(command)).subarray(4);
          const ends = [...cuts.filter((cut) => cut < frame.length), frame.length].sort((a, b) => a - b);
          const pieces = ends.map((end, i) => frame.subarray(ends[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
          const decoded = decodeFrameInPieces(pieces);
          expect(Buffer.concat(bodyPieces(decoded))).to.deep.equal(Buffer.from(body));
          expect(membersOf(decoded)).to.deep.equal(membersOf(decodeFrame(frame)));
        },
      ),
    );
  });
});
