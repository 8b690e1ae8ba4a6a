import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { textOfGiven } from '../text-of-given.js';

/** The name of a Unix socket among addresses. */
export function formatUnixAddress(path: string): string {
  return `unix:${path}`;
}

/** Why a text cannot be the path of a Unix socket; the system has room for 107 bytes, macOS for 103. */
export function unixPathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || path === '') return `must be the path of a Unix socket, not ${textOfGiven(path)}`;
  if (path.includes('\0')) return 'must not hold a NUL';
  const bytes = Buffer.byteLength(path);
  const room = process.platform === 'darwin' ? 103 : 107;
  return bytes <= room ? undefined : `must be at most ${room} bytes long, not ${bytes}`;
}

export function isSocketFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
}

/**
 * Removes the file of a Unix socket on which nobody listens any more, as a server that was killed leaves it. One on which somebody listens,
 * and whatever is no socket, is left alone. True when the path is free then.
 */
export async function removeStaleSocket(path: string): Promise<boolean> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return true;
  if (!before.isSocket() || !(await isRefused(path))) return false;
  // Somebody else may have found it stale too, and listen there by now.
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now === undefined) return true;
  if (now.ino !== before.ino || now.dev !== before.dev || now.ctimeMs !== before.ctimeMs) return false;
  unlinkSync(path);
  return true;
}

/** True only when the system says that nobody listens; anything else may be a server that is busy or not ours to ask. */
function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
