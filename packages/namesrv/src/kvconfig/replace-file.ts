import { mkdir, open, readFile, readlink, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const MAX_LINKS = 16;

/** What of the file system a replacement needs. */
export interface ReplaceFileSystem {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
}

/**
 * Puts a new file in the place of another so that at any moment, also after a power cut, the old or the new content is there whole: a
 * temporary file beside it, synced, renamed, the directory synced. Only the owner can read it. Missing directories are made, for the
 * owner alone.
 */
export async function replaceFile(
  path: string,
  content: Uint8Array,
  files: ReplaceFileSystem = { mkdir, open, rename, rm },
): Promise<void> {
  const directory = dirname(path);
  const temporary = `${path}.tmp`;
  await files.mkdir(directory, { recursive: true, mode: 0o700 });
  // A rest of an interrupted write, or a trap: never written through.
  await files.rm(temporary, { force: true });
  try {
    const file = await files.open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await files.rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory, files);
}

/** The content of a file; `undefined` where there is none. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** {@link replaceFile} by what is made of the former content, which is left beside it as `.bak`; nothing is written where both are equal. */
export async function updateFile(path: string, update: (former: Buffer | undefined) => Buffer): Promise<void> {
  const target = await linkTarget(path);
  const former = await readIfThere(path);
  const content = update(former);
  if (former?.equals(content)) return;
  if (former !== undefined) await replaceFile(`${target}.bak`, former);
  await replaceFile(target, content);
}

async function syncDirectory(directory: string, files: ReplaceFileSystem): Promise<void> {
  // Windows has no way to do this.
  if (process.platform === 'win32') return;
  const handle = await files.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file that a path means, through symbolic links, also where it does not exist yet. */
async function linkTarget(path: string): Promise<string> {
  let target = resolve(path);
  for (let links = 0; links < MAX_LINKS; links++) {
    try {
      return await realpath(target);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      target = resolve(dirname(target), await readlink(target));
    } catch {
      return target;
    }
  }
  return target;
}

/** Whether an error of the file system says that there is no such file. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
