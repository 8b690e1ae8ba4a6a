import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A certificate for `localhost` and its key, of a day, as texts and as files that go with this process; undefined where there is no openssl to
 * make it.
 */
export function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'rmqns-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const { status } = spawnSync('openssl', [...request, ...names, '-keyout', keyPath, '-out', certPath], {
    stdio: 'ignore',
  });
  if (status !== 0) return undefined;
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(certPath, 'utf8'), keyPath, certPath };
}
