import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSmallFile } from '../src/read-small-file.js';
import { Scratch } from './agent-fixture.js';

describe('readSmallFile', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = new Scratch();
  });
  afterEach(() => scratch[Symbol.dispose]());

  it('reads a file up to its limit', () => {
    const path = join(scratch.path, 'key');
    writeFileSync(path, 'secret');
    expect(String(readSmallFile(path, 6))).to.equal('secret');
    expect(() => readSmallFile(path, 5)).to.throw('it has 6 bytes, more than 5');
  });

  it('does not wait for a pipe that nobody writes to, and reads no directory', () => {
    const path = join(scratch.path, 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => readSmallFile(path, 5)).to.throw('it is no regular file');
    expect(() => readSmallFile(scratch.path, 5)).to.throw('it is no regular file');
  });
});
