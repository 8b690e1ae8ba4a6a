import { expect } from 'chai';
import { CodeDistribution } from '../../src/rpc/code-distribution.js';

describe('CodeDistribution', () => {
  it('counts codes and lists them in ascending order', () => {
    const distribution = new CodeDistribution();
    for (const code of [105, 103, 105, -1, 103, 105]) distribution.add(code);
    expect(distribution.snapshot()).to.deep.equal({ '103': 2, '105': 3, '-1': 1 });
  });

  it('counts four million of each of two codes (A42)', () => {
    const [requests, responses] = [new CodeDistribution(), new CodeDistribution()];
    for (let i = 0; i < 4_000_000; i++) {
      requests.add(1);
      responses.add(2);
    }
    expect([requests.snapshot(), responses.snapshot()]).to.deep.equal([{ '1': 4_000_000 }, { '2': 4_000_000 }]);
  });

  it('keeps at most 1,024 codes, whatever a peer sends, and adds up the rest', () => {
    const distribution = new CodeDistribution();
    for (let code = 0; code < 5_000; code++) distribution.add(code);
    distribution.add(1);
    const snapshot = distribution.snapshot();
    expect(Object.keys(snapshot)).to.have.length(1_025);
    expect([snapshot['1'], snapshot['others']]).to.deep.equal([2, 3_976]);
  });
});
