import { spawnSync } from 'node:child_process';
import { type ApacheJars, ApacheProcesses } from './apache.js';

/** The first time on a machine the jars of all releases may have to be downloaded. */
const FETCH_TIMEOUT_MILLIS = 600_000;

/** Why Apache's programs cannot run on this machine, or `undefined` when they can: they need a JDK of 17 or later, Maven and OpenSSL. */
function missingForApache(): string | undefined {
  const javac = spawnSync('javac', ['-version'], { encoding: 'utf8', timeout: 20_000 });
  const release = `${javac.stdout ?? ''}${javac.stderr ?? ''}`.match(/javac (\d+)/)?.[1];
  if (release === undefined) return 'no JDK: javac is not on the PATH';
  if (Number(release) < 17) return `the JDK is too old: javac says ${release}, 17 is needed`;
  const maven = spawnSync('mvn', ['--version'], { encoding: 'utf8', timeout: 20_000 });
  if (maven.error !== undefined) return 'no Maven: mvn is not on the PATH';
  const openssl = spawnSync('openssl', ['version'], { encoding: 'utf8', timeout: 20_000 });
  if (openssl.error !== undefined) return 'no OpenSSL: openssl is not on the PATH';
  return undefined;
}

/** The part of mocha's context that {@link requireInterop} uses. */
interface SkippableContext {
  skip(): never;
}

/**
 * For a `before` hook: skips the suite where something that it needs is missing on this machine, saying what. With `RMQNS_INTEROP=required` in the
 * environment that is a failure instead.
 *
 * @param missing what is missing, `undefined` when nothing is
 */
export function requireInterop(context: SkippableContext, missing: string | undefined): void {
  if (missing === undefined) return;
  if (process.env['RMQNS_INTEROP'] === 'required') throw new Error(`RMQNS_INTEROP=required, but ${missing}`);
  process.stdout.write(`    skipped: ${missing}\n`);
  context.skip();
}

/**
 * For a suite of mocha that runs Apache's programs, before its own hooks: has their jars there when it begins, and ends what was started when it has
 * ended. Without Java, Maven or OpenSSL the suite is skipped, or fails, as {@link requireInterop} says.
 */
export function useApache(...jars: readonly ApacheJars[]): ApacheProcesses {
  const apache = new ApacheProcesses();
  before(async function () {
    this.timeout(FETCH_TIMEOUT_MILLIS);
    requireInterop(this, missingForApache());
    for (const each of jars) await apache.fetch(each);
  });
  after(() => apache[Symbol.asyncDispose]());
  return apache;
}
