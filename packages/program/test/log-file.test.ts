import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { LogFile } from '../src/log-file.js';

describe('LogFile', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    path = join(directory, 'log');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const written = (file: LogFile, text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      file.write(Buffer.from(text), (error) => (error ? reject(error) : resolve()));
    });

  it('appends, and after it was opened again writes to the file that has the name then', async () => {
    const file = new LogFile(path);
    await written(file, 'a\n');
    renameSync(path, `${path}.1`);
    await written(file, 'b\n');
    file.reopen();
    await written(file, 'c\n');
    expect(readFileSync(`${path}.1`, 'utf8')).to.equal('a\nb\n');
    expect(readFileSync(path, 'utf8')).to.equal('c\n');
    await written(new LogFile(path), 'd\n');
    expect(readFileSync(path, 'utf8')).to.equal('c\nd\n');
  });

  it('lets a write that is under way end in the file where it began', async () => {
    const file = new LogFile(path);
    const under = written(file, 'x'.repeat(1_000_000));
    renameSync(path, `${path}.1`);
    file.reopen();
    file.reopen();
    await under;
    expect(readFileSync(`${path}.1`, 'utf8')).to.have.length(1_000_000);
    expect(readFileSync(path, 'utf8')).to.equal('');
  });

  it('keeps the file in use when the name cannot be opened again', async () => {
    const file = new LogFile(path);
    renameSync(directory, `${directory}.moved`);
    expect(() => file.reopen()).to.throw(/ENOENT/);
    await written(file, 'a\n');
    renameSync(`${directory}.moved`, directory);
    expect(readFileSync(path, 'utf8')).to.equal('a\n');
  });
});
