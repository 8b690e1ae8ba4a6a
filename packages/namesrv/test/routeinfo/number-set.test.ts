import { expect } from 'chai';
import fc from 'fast-check';
import { NumberSet } from '../../src/routeinfo/number-set.js';

describe('NumberSet', () => {
  it('holds what a Set holds, ascending', () => {
    const number = fc.oneof(fc.nat(70), fc.nat(20_000), fc.constantFrom(31, 32, 4095, 4096, 8191, 500_000));
    fc.assert(
      fc.property(fc.array(fc.record({ on: fc.boolean(), number })), (steps) => {
        const set = new NumberSet();
        const model = new Set<number>();
        for (const { on, number } of steps) {
          expect(set.has(number)).to.equal(model.has(number));
          if (on) expect(set.add(number)).to.equal(!model.has(number));
          else expect(set.delete(number)).to.equal(model.has(number));
          if (on) model.add(number);
          else model.delete(number);
          expect(set.has(number)).to.equal(on);
          expect(set.size).to.equal(model.size);
        }
        expect([...set.values()]).to.deep.equal([...model].sort((a, b) => a - b));
      }),
    );
  });
});
