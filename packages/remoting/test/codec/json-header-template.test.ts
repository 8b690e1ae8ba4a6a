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

describe('JsonHeaderTemplate', () => {
  it('writes a header as it is written without one, for more kinds of answers than are kept', () => {
    fc.assert(
      fc.property(int32, int32, int32, int32, language, (code, flag, version, opaque, spoken) => {
        const command = new RemotingCommand({ code, flag, version, opaque, language: spoken });
        const [frame] = encodeFrame(command);
        expect(frame?.subarray(8).toString()).to.equal(encodeJsonHeader(command).toString());
      }),
      { numRuns: 500 },
    );
  });
});
