import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TlsMaterial } from './tls-context.js';
import type { TlsFileOptions } from './tls-options.js';

/** No certificate or key comes near it; a wrong path must not cost memory. */
const maxFileBytes = 1024 * 1024;

export interface TlsFiles extends TlsMaterial {
  /** Equal for equal contents. */
  readonly digest: string;
}

/**
 * Reads what the paths name, links followed.
 *
 * @throws Error that names the file which cannot be read or is too large
 */
export async function readTlsFiles(options: TlsFileOptions): Promise<TlsFiles> {
  const cert = await readPem(options.certPath);
  const key = await readPem(options.keyPath);
  const trust = await readPem(options.trustCertPath);
  const hash = createHash('sha256');
  for (const content of [cert, key, trust]) hash.update(`${content?.length ?? -1}:`).update(content ?? '');
  return { cert, key, trust, keyPassword: options.keyPassword || undefined, digest: hash.digest('hex') };
}

async function readPem(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined || path === '') return undefined;
  // A pipe that nobody writes to would keep a thread of the pool, and with it the end of the process.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a file`);
    if (stats.size > maxFileBytes) throw new Error(`${path} has ${stats.size} bytes, more than ${maxFileBytes}`);
    // Not readFile, which would go on to the end of a file that grows meanwhile.
    const content = Buffer.allocUnsafe(stats.size);
    const { bytesRead } = await file.read(content, 0, stats.size, 0);
    return content.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
