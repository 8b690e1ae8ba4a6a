import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describePortOwner } from '../src/port-owner.js';

describe('describePortOwner', () => {
  let proc: string;
  beforeEach(() => {
    proc = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    mkdirSync(join(proc, 'net'));
    writeFileSync(
      join(proc, 'net', 'tcp'),
      [
        '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
        '   0: 0100007F:2694 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0',
        '   1: 0100007F:2695 0100007F:2694 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1',
        '',
      ].join('\n'),
    );
    mkdirSync(join(proc, '77', 'fd'), { recursive: true });
    symlinkSync('socket:[4711]', join(proc, '77', 'fd', '3'));
    writeFileSync(join(proc, '77', 'cmdline'), `java\0-Xms1g\0${'x'.repeat(100)}\0`);
  });
  afterEach(() => rmSync(proc, { recursive: true }));

  it('names the process that listens on the port, and the beginning of its command line', () => {
    expect(describePortOwner(9876, proc)).to.equal(`process 77 (java -Xms1g ${'x'.repeat(68)}…)`);
  });

  it('says nothing of a port that is only connected to, or whose process cannot be seen', () => {
    expect(describePortOwner(9877, proc)).to.equal(undefined);
    rmSync(join(proc, '77'), { recursive: true });
    expect(describePortOwner(9876, proc)).to.equal(undefined);
    expect(describePortOwner(9876, join(proc, 'missing'))).to.equal(undefined);
  });
});
