import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../rpc/', import.meta.url));

/**
 * Installs the other packages where they are missing or not those of the lock file, and a chosen peer needs them. They are no part of the
 * project's own `npm ci`.
 */
export function installPeers(names) {
  if (names.every((name) => name === 'bare' || name.startsWith('rmqns-'))) return;
  const lock = join(folder, 'package-lock.json');
  const installedLock = join(folder, 'node_modules/.installed-lock.json');
  if (existsSync(installedLock) && readFileSync(installedLock).equals(readFileSync(lock))) return;
  process.stderr.write('bench: installing the other packages once: npm ci --prefix bench/rpc\n');
  // The project is strict about Node's version; a peer's dependency asks for 22, and runs on 20.
  const args = ['ci', '--engine-strict=false', '--ignore-scripts', '--loglevel=error', '--prefix', folder];
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci --prefix bench/rpc failed${error ? `: ${error.message}` : ''}`);
  copyFileSync(lock, installedLock);
}

/** The installed version of a package, for the table. */
export function installedVersion(name) {
  const path = join(folder, 'node_modules', name, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : 'not installed';
}
