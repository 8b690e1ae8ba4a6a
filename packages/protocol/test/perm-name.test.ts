import { expect } from 'chai';
import { hasUnitFlag, hasUnitSubFlag, isInherited, isReadable, isWritable, permToString } from '../src/index.js';

describe('PermName', () => {
  it('tells reading, writing and inheriting apart', () => {
    const rows = Array.from({ length: 8 }, (_, perm) => [isReadable(perm), isWritable(perm), isInherited(perm)]);
    expect(rows).to.deep.equal([
      [false, false, false],
      [false, false, true],
      [false, true, false],
      [false, true, true],
      [true, false, false],
      [true, false, true],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it('prints as tools do, whatever the priority bit', () => {
    expect([0, 2, 4, 6, 7, 14].map(permToString)).to.deep.equal(['---', '-W-', 'R--', 'RW-', 'RWX', 'RW-']);
  });
});

describe('TopicSysFlag', () => {
  it('tells unit and unit subscription apart', () => {
    expect([0, 1, 2, 3].map(hasUnitFlag)).to.deep.equal([false, true, false, true]);
    expect([0, 1, 2, 3].map(hasUnitSubFlag)).to.deep.equal([false, false, true, true]);
  });
});
