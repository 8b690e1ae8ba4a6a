import { mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ReplaceFileSystem, replaceFile } from '../../src/kvconfig/replace-file.js';

describe('replaceFile', () => {
  it('syncs the new content before it takes the place of the old, and the directory after', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'rmqns-replace-'));
    try {
      const path = join(directory, 'file');
      const done: string[] = [];
      const files: ReplaceFileSystem = {
        mkdir,
        rm,
        rename: async (from, to) => {
          await rename(from, to);
          done.push(`rename to ${basename(String(to))}`);
        },
        open: async (file, ...rest) => {
          const handle = await open(file, ...rest);
          const name = String(file) === directory ? 'the directory' : basename(String(file));
          const { writeFile, sync } = handle;
          handle.writeFile = async (...args) => {
            await writeFile.apply(handle, args);
            done.push(`write ${name}`);
          };
          handle.sync = async () => {
            await sync.apply(handle);
            done.push(`sync ${name}`);
          };
          return handle;
        },
      };
      await replaceFile(path, Buffer.from('new'), { mode: 0o600 }, files);
      expect(done).to.deep.equal(['write file.tmp', 'sync file.tmp', 'rename to file', 'sync the directory']);
      expect(await readFile(path, 'utf8')).to.equal('new');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
