import { constants } from 'node:buffer';
import { once } from 'node:events';
import { expect } from 'chai';
import { RemotingClient } from '../../src/client/remoting-client.js';
import { json } from '../../src/command/json-body.js';
import { text } from '../../src/command/text-body.js';
import { DecodeError } from '../../src/errors.js';
import { silentLogger } from '../../src/logger.js';
import { RemotingServer } from '../../src/server/remoting-server.js';

const tooMuch = constants.MAX_STRING_LENGTH + 1;

describe('A limit of frames above what a text can hold', () => {
  it('is warned of, by the logger or else by the process, and one below it is not (W56)', async () => {
    for (const Remoting of [RemotingClient, RemotingServer]) {
      const lines: string[] = [];
      const logger = { ...silentLogger, warn: (_fields: object, line: string) => void lines.push(line) };
      new Remoting({ logger, maxFrameBytes: tooMuch - 1 });
      expect(lines).to.deep.equal([]);
      new Remoting({ logger, maxFrameBytes: tooMuch });
      expect(lines.join()).to.match(/^maxFrameBytes of \d+ lets bodies in that cannot become a text/);
      const warned = once(process, 'warning');
      new Remoting({ maxFrameBytes: tooMuch });
      expect((await warned)[0]).to.include({ code: 'RMQNS_HUGE_FRAMES', message: lines[0] });
    }
  });

  it('lets no body be lost: one that cannot become a text is an error that says so (W56)', () => {
    // The system gives memory that nobody writes to only when it is read.
    const body = Buffer.alloc(tooMuch);
    expect(() => text().decode(body)).to.throw(DecodeError, `the body of ${tooMuch} bytes`);
    expect(() => json().decode(body)).to.throw(DecodeError, `the body of ${tooMuch} bytes is not JSON`);
  }).timeout(30_000);
});
