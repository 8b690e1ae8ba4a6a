import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hasPoolRequests } from '../src/pool-requests.js';

describe('hasPoolRequests', () => {
  it('is true for a file that does not open and for a name that is looked up, as Node.js tells them, and false without', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
    const path = join(directory, 'fifo');
    execFileSync('mkfifo', [path]);
    const before = process.getActiveResourcesInfo();
    const added = (): string[] => {
      const now = process.getActiveResourcesInfo();
      for (const resource of before) {
        const index = now.indexOf(resource);
        if (index >= 0) now.splice(index, 1);
      }
      return now;
    };
    expect(hasPoolRequests(added())).to.equal(false);
    const opening = open(path, 'r');
    expect(hasPoolRequests(added())).to.equal(true);
    const writer = openSync(path, constants.O_RDWR);
    await (await opening).close();
    closeSync(writer);
    rmSync(directory, { recursive: true });
    await new Promise<void>((resolve) => {
      lookup('localhost', () => resolve());
      expect(hasPoolRequests(added())).to.equal(true);
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasPoolRequests(added())).to.equal(false);
  });

  it('is false for what cannot hang', () => {
    expect(hasPoolRequests(['TCPSocketWrap', 'Timeout', 'FSEventWrap', 'PipeWrap'])).to.equal(false);
  });
});
