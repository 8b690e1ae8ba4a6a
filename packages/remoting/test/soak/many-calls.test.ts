import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** More by hand: RMQNS_SOAK_CALLS=1000000. */
const CALLS = Number(process.env['RMQNS_SOAK_CALLS'] ?? 20_000);

describe('The heap of a process that calls itself', () => {
  it(`is after ${CALLS} calls what it was after a tenth of them (W53)`, async function () {
    this.timeout(20_000 + CALLS);
    const child = fork(fileURLToPath(new URL('call-child.js', import.meta.url)), [String(CALLS)], {
      execArgv: ['--expose-gc'],
    });
    const exited = once(child, 'exit');
    const [told] = (await once(child, 'message')) as [{ made: number; begun: number; ended: number }];
    expect(told.made).to.equal(CALLS);
    // What the compiler of the engine keeps for code that became hot; a byte kept for each call would be seen.
    expect(told.ended - told.begun, JSON.stringify(told)).to.be.below(512 * 1024 + CALLS / 10);
    expect((await exited)[0]).to.equal(0);
  });
});
