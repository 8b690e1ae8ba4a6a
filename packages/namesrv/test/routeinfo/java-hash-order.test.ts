import { expect } from 'chai';
import { firstInJavaOrder, inConcurrentJavaOrder, inJavaOrder } from '../../src/routeinfo/java-hash-order.js';
import { allAtOnce } from '../../src/sliced-work.js';

const first = (names: readonly string[], capacity: number): string | undefined =>
  firstInJavaOrder(names, (name) => name, { size: names.length, capacity });

describe('firstInJavaOrder', () => {
  it('is the name in the first bucket; nameserver 8.6: T4 of T1 to T4 in 16 buckets', () => {
    expect(first(['T1', 'T2', 'T3', 'T4'], 16)).to.equal('T4');
  });

  it('is the name put first of two in one bucket', () => {
    expect(first(['Aa', 'BB'], 16)).to.equal('Aa');
    expect(first(['BB', 'Aa'], 16)).to.equal('BB');
  });

  it('sees a table double that is filled beyond three quarters', () => {
    // Hashes 97 (a) and 112 (p): buckets 1 and 0 of 16, and 1 and 16 of 32.
    expect(first(['a', 'p'], 16)).to.equal('p');
    expect(first(['a', 'p'], 32)).to.equal('a');
    const many = ['a', 'p', ...Array.from({ length: 11 }, (_, index) => String.fromCharCode(98 + index))];
    expect(first(many, 16)).to.equal('a');
  });

  it('takes ids by their hash: small ones ascend, and -1 has that of 0', () => {
    const id = (...ids: (number | bigint)[]): number | bigint | undefined =>
      firstInJavaOrder(ids, (value) => value, { size: ids.length, capacity: 16 });
    expect(id(2, 1, 3)).to.equal(1);

    expect(id(7, -1)).to.equal(-1);
    expect(id(9_223_372_036_854_775_807n, 0)).to.equal(9_223_372_036_854_775_807n);
    expect(id(16, 15)).to.equal(16);
  });

  it('is none of no names', () => {
    expect(first([], 16)).to.equal(undefined);
  });
});

describe('inJavaOrder', () => {
  const ordered = (...names: string[]): readonly string[] => inJavaOrder(names, (name) => name);

  it('is the order of the buckets; nameserver 8.6: T4, T1, T2, T3', () => {
    expect(ordered('T1', 'T2', 'T3', 'T4')).to.deep.equal(['T4', 'T1', 'T2', 'T3']);
  });

  it('is that of arrival in one bucket', () => {
    expect(ordered('T1', 'BB', 'Aa')).to.deep.equal(ordered('BB', 'T1', 'Aa'));
    expect(ordered('BB', 'Aa')).to.deep.equal(['BB', 'Aa']);
  });

  it('is that of a table twice as large where the twelfth name came, if it is a ConcurrentHashMap', () => {
    // Of 32 buckets a (97) has the second and p (112) the seventeenth; of 16 p has the first.
    const names = ['a', 'p', ...Array.from({ length: 10 }, (_, index) => String.fromCharCode(98 + index))];
    const concurrent = allAtOnce(inConcurrentJavaOrder(new Map(names.map((name) => [name, name]))));
    expect([inJavaOrder(names, (name) => name)[0], concurrent[0]]).to.deep.equal(['p', 'a']);
  });

  it('is the same in steps, with the values in that order', () => {
    // So many that both tables have as many buckets.
    const names = Array.from({ length: 20_000 }, (_, index) => `Topic-${(index * 7919) % 20_000}`);
    const steps = inConcurrentJavaOrder(new Map(names.map((name, index) => [name, index])));
    for (let step = 0; step < 6; step++) expect(steps.next().done).to.equal(false);
    expect(allAtOnce(steps).map((index) => names[index])).to.deep.equal(inJavaOrder(names, (name) => name));
  });

  it('copies nothing that is in order', () => {
    const names = ['T4', 'T1'];
    expect(inJavaOrder(names, (name) => name)).to.equal(names);
  });
});
