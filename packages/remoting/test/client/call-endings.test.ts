import { expect } from 'chai';
import fc from 'fast-check';
import { callEndings, EndingsTally } from '../soak/call-endings.js';
import { MemoryMoodyServer, TcpMoodyServer } from '../soak/moody-server.js';

// Very many more by hand: npm run soak -- calls
describe('Every call of a client ends exactly once, whatever happens in whatever order, and leaves nothing behind (W5, W20)', function () {
  this.timeout(60_000);

  it('over sockets of the system', async () => {
    await fc.assert(
      callEndings(() => new TcpMoodyServer()),
      { numRuns: 60 },
    );
  });

  it('in memory, where dials hang and writes fail as well; with each ending seen', async () => {
    const tally = new EndingsTally();
    await fc.assert(
      callEndings(() => new MemoryMoodyServer(), tally),
      { numRuns: 300 },
    );
    expect(tally.endings).to.include.all.keys([
      'answer',
      'handed over',
      'TIMEOUT',
      'ABORTED',
      'CLOSED',
      'CONNECT_FAILED',
      'SEND_FAILED',
      'CONNECTION_CLOSED',
      'TOO_MANY_REQUESTS',
    ]);
  });
});
