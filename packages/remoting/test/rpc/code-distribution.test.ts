import { expect } from 'chai';
import { CodeDistribution } from '../../src/rpc/code-distribution.js';

describe('CodeDistribution', () => {
  it('counts codes and lists them in ascending order', () => {
    const distribution = new CodeDistribution();
    for (const code of [105, 103, 105, -1, 103, 105]) distribution.add(code);
    expect(distribution.snapshot()).to.deep.equal({ '103': 2, '105': 3, '-1': 1 });
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
