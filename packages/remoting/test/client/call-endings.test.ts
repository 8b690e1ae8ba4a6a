import { expect } from 'chai';
import fc from 'fast-check';
import { callEndings, EndingsTally, type Interleaved } from '../soak/call-endings.js';
import { MemoryMoodyServer, TcpMoodyServer } from '../soak/moody-server.js';

/** One connection is cut off, and one closed for a call that got no answer in time: the third call fails at once. */
const CUT_OFF_AND_GIVEN_UP: Interleaved = [
  [
    { kind: 'sync', n: 3 },
    { kind: 'breakWrites', n: 0 },
    { kind: 'sync', n: 0 },
    { kind: 'tick', n: 1 },
    { kind: 'sync', n: 0 },
  ],
  {
    waitForPermit: false,
    limitSyncCalls: false,
    eager: false,
    waitForReady: false,
    interceptor: 'none',
    end: 'close',
  },
];

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
      { numRuns: 300, examples: [CUT_OFF_AND_GIVEN_UP] },
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
