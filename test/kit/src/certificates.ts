import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate and its key (PKCS#8), as PEM files. */
export interface CertificateFiles {
  readonly certPath: string;
  readonly keyPath: string;
}

/**
 * Two CAs that know nothing of each other, and certificates of each for 127.0.0.1 and localhost. They have one name, so that only the key
 * tells them apart: Java's client presents no certificate of a CA whose name the server did not give.
 */
export interface Certificates {
  readonly ca: CertificateFiles;
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
  readonly strangerCa: CertificateFiles;
  /** A certificate of {@link strangerCa}. */
  readonly stranger: CertificateFiles;
}

/** Makes certificates in a directory, with `openssl`; they last a day. */
export async function createCertificates(directory: string): Promise<Certificates> {
  const extensions = join(directory, 'leaf.ext');
  await writeFile(extensions, 'basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n');

  const files = (name: string): CertificateFiles => ({
    certPath: join(directory, `${name}.pem`),
    keyPath: join(directory, `${name}.key`),
  });
  const authority = async (name: string): Promise<CertificateFiles> => {
    const { certPath, keyPath } = files(name);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyPath];
    await run('openssl', ['req', '-x509', ...key, '-subj', '/CN=ca', '-days', '1', '-out', certPath]);
    return { certPath, keyPath };
  };
  const leaf = async (name: string, ca: CertificateFiles): Promise<CertificateFiles> => {
    const { certPath, keyPath } = files(name);
    const request = join(directory, `${name}.csr`);
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyPath];
    await run('openssl', ['req', '-new', ...key, '-subj', `/CN=${name}`, '-out', request]);
    const signing = ['-CA', ca.certPath, '-CAkey', ca.keyPath, '-CAcreateserial', '-extfile', extensions];
    await run('openssl', ['x509', '-req', '-in', request, ...signing, '-days', '1', '-out', certPath]);
    return { certPath, keyPath };
  };

  const ca = await authority('ca');
  const strangerCa = await authority('stranger-ca');
  return {
    ca,
    strangerCa,
    server: await leaf('server', ca),
    client: await leaf('client', ca),
    stranger: await leaf('stranger', strangerCa),
  };
}
