import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { canPin } from './pinned-child.mjs';

/** What must be known of the machine to compare two results. Nothing in it names the machine. */
export function describeMachine() {
  const processors = cpus();
  return {
    node: process.version,
    v8: process.versions.v8,
    system: `${platform()} ${release().split('-')[0]} ${arch()}`,
    processors: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadAverageAtStart: Number(loadavg()[0].toFixed(2)),
    pinned: canPin,
  };
}

/** The package's version and, where it can be told, the commit it is of. */
export function describeProduct() {
  const root = new URL('../../', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('packages/remoting/package.json', root), 'utf8'));
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return `${version} (${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', changed'})`;
  } catch {
    return version;
  }
}
