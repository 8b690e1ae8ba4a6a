import { expect } from 'chai';
import fc from 'fast-check';
import { encodeFrame } from '../../src/codec/frame-codec.js';
import { encodeJsonHeader } from '../../src/codec/json-header-codec.js';
import { LanguageCode, type LanguageName } from '../../src/command/language-code.js';
import { RemotingCommand } from '../../src/command/remoting-command.js';

const int32 = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(0, 9, 10, 99, 100, -1, -10, 2 ** 31 - 1, -(2 ** 31)),
);
const language = fc.constantFrom(...(Object.keys(LanguageCode) as LanguageName[]), undefined);

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('a"b', 'a\\b', '\n', '\u007f', ''));
const extFields = fc.option(fc.dictionary(text, text), { nil: undefined });

describe('JsonHeaderTemplate', () => {
  it('writes a header as it is written without one, for more kinds of commands than are kept', () => {
    fc.assert(
      fc.property(
        fc.record({ code: int32, flag: int32, version: int32, opaque: int32, language, extFields }),
        fc.option(text, { nil: undefined }),
        (init, remark) => {
          const command = new RemotingCommand({ ...init, remark, extFields: init.extFields });
          const [frame] = encodeFrame(command);
          expect(frame?.subarray(8).toString()).to.equal(encodeJsonHeader(command).toString());
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves what is no text to be refused by name', () => {
    const extFields = { size: 7 as unknown as string };
    expect(() => encodeFrame(RemotingCommand.request(1, { extFields }))).to.throw(
      'the header field size must be a string',
    );
  });

  it('refuses what has a length and is no text, and spoils no frame that waits', () => {
    const [waiting] = encodeFrame(RemotingCommand.request(1, { remark: 'waits for its turn'.repeat(40) }));
    const before = waiting?.toString('latin1');
    for (const length of [-700, -100, 1.5, 3]) {
      const odd = { length } as unknown as string;
      expect(() => encodeFrame(RemotingCommand.request(1, { extFields: { odd } }))).to.throw('odd must be a string');
      expect(() => encodeFrame(RemotingCommand.request(1, { remark: odd }))).to.throw('remark must be a string');
      encodeFrame(RemotingCommand.request(2, { remark: 'written after it'.repeat(40) }));
      expect(waiting?.toString('latin1')).to.equal(before);
    }
  });
});
