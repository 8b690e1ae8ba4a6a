import {
  access as checkAccess,
  constants,
  type FileHandle,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const MAX_LINKS = 16;

/** What of the file system a replacement needs. */
export interface ReplaceFileSystem {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly rm: typeof rm;
}

/** Who owns a file and what they may do with it. */
interface Access {
  readonly mode: number;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/**
 * Puts a new file in the place of another so that at any moment, also after a power cut, the old or the new content is there whole: a
 * temporary file beside it, synced, renamed, the directory synced. Only the owner can read it unless told otherwise. Missing directories
 * are made, for the owner alone.
 */
export async function replaceFile(
  path: string,
  content: Uint8Array,
  access: Access = { mode: 0o600 },
  files: ReplaceFileSystem = { mkdir, open, rename, rm },
): Promise<void> {
  const directory = dirname(path);
  const temporary = `${path}.tmp`;
  await files.mkdir(directory, { recursive: true, mode: 0o700 });
  // A rest of an interrupted write, or a trap: never written through.
  await files.rm(temporary, { force: true });
  try {
    const file = await files.open(temporary, 'wx', access.mode);
    try {
      await file.writeFile(content);
      await giveTo(file, access);
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

/**
 * {@link replaceFile} by what is made of the former content, which is left beside it as `.bak`; nothing is written where both are equal. The
 * owner of the file stays its owner. A file that nobody may write is not replaced, although its directory would allow it.
 *
 * @param mode of the new file; `keep` is that of the former one, and 0600 where there is none
 */
export async function updateFile(
  path: string,
  update: (former: Buffer | undefined) => Buffer,
  mode: number | 'keep' = 0o600,
): Promise<void> {
  const target = await linkTarget(path);
  const former = await readIfThere(path);
  const content = update(former);
  if (former?.equals(content)) return;
  if (former === undefined) return await replaceFile(target, content, { mode: mode === 'keep' ? 0o600 : mode });
  const found = await stat(target);
  if ((found.mode & 0o222) === 0 || !(await isWritable(target))) throw new Error('the file is read-only');
  const access = { mode: mode === 'keep' ? found.mode & 0o777 : mode, uid: found.uid, gid: found.gid };
  await replaceFile(`${target}.bak`, former, access);
  try {
    await replaceFile(target, content, access);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    throw new Error('it is mounted by itself and cannot be replaced; mount its directory instead', { cause: error });
  }
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await checkAccess(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The mode in spite of the umask, and the owner where this user may give files away. */
async function giveTo(file: FileHandle, { mode, uid, gid }: Access): Promise<void> {
  await file.chmod(mode);
  if (uid === undefined || gid === undefined) return;
  try {
    await file.chown(uid, gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
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
