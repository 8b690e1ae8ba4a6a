import { expect } from 'chai';
import { AddressSelector } from '../../src/client/address-selector.js';

describe('AddressSelector', () => {
  /** With a random number just below 1 the order stays. */
  function make(addresses: string[], random = 0.999): AddressSelector {
    const selector = new AddressSelector(() => random);
    selector.update(addresses);
    return selector;
  }

  it('goes round a shuffled list once, and shows it as it was given', () => {
    expect(make(['a', 'b', 'c']).candidates()).to.deep.equal(['a', 'b', 'c']);
    expect(make(['a', 'b', 'c'], 0).candidates()).to.deep.equal(['b', 'c', 'a']);
    expect(make(['a', 'b', 'c'], 0).addresses).to.deep.equal(['a', 'b', 'c']);
    expect(make([]).candidates()).to.deep.equal([]);
  });

  it('keeps the one that works, first of the candidates', () => {
    const selector = make(['a', 'b', 'c']);
    selector.choose('c');
    expect([selector.chosen, selector.candidates()]).to.deep.equal(['c', ['c', 'a', 'b']]);
    selector.choose('nobody');
    expect(selector.chosen).to.equal('c');
  });

  it('goes on to the next one after a failure', () => {
    const selector = make(['a', 'b', 'c']);
    selector.choose('b');
    selector.fail('b');
    expect([selector.chosen, selector.candidates()]).to.deep.equal([undefined, ['c', 'a', 'b']]);
    selector.fail('a');
    expect(selector.candidates()).to.deep.equal(['c', 'a', 'b']);
  });

  it('takes a new list, drops doubles, ignores an empty one, and keeps its choice while that is on the list', () => {
    const selector = make(['a', 'b']);
    selector.choose('b');
    selector.update([]);
    expect(selector.addresses).to.deep.equal(['a', 'b']);
    selector.update(['b', 'c', 'b']);
    expect([selector.addresses, selector.chosen]).to.deep.equal([['b', 'c'], 'b']);
    selector.update(['c', 'd']);
    expect(selector.chosen).to.equal(undefined);
  });
});
