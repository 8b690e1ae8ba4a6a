import { expect } from 'chai';
import { allowedGrowth, heapOfCalls } from './heap-of-calls.js';

const CALLS = 20_000;

// A million by hand: npm run soak -- heap
describe('The heap of a process that calls itself', () => {
  it(`is after ${CALLS} calls what it was after a tenth of them (W53)`, async function () {
    this.timeout(60_000);
    const { made, begun, ended } = await heapOfCalls(CALLS);
    expect(made).to.equal(CALLS);
    expect(ended - begun).to.be.below(allowedGrowth(CALLS));
  });
});
