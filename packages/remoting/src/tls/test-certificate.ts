import { Worker } from 'node:worker_threads';
import type { TlsMaterial } from './tls-context.js';

/** What the worker is told. */
export interface TestCertificateRequest {
  readonly notBeforeMillis: number;
  readonly notAfterMillis: number;
}

const DAY_MILLIS = 24 * 60 * 60 * 1000;

/**
 * Makes the certificate of test mode, with the package `selfsigned`, which whoever wants test mode has installed. In a worker, since loading
 * what makes certificates takes longer than a server may stand still for anybody who says hello.
 */
export function makeTestCertificate(nowMillis: number): Promise<TlsMaterial> {
  // A year is longer than a try lasts; a day earlier, for peers whose clock is behind.
  const workerData: TestCertificateRequest = {
    notBeforeMillis: nowMillis - DAY_MILLIS,
    notAfterMillis: nowMillis + 365 * DAY_MILLIS,
  };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./test-certificate-worker.js', import.meta.url), { workerData, execArgv: [] });
    // Nobody's process waits for a try.
    worker.unref();
    worker.once('message', ({ cert, key }: { cert: string; key: string }) =>
      resolve({ cert: Buffer.from(cert), key: Buffer.from(key) }),
    );
    worker.once('error', (error: NodeJS.ErrnoException) => reject(failed(error)));
    worker.once('exit', () => reject(failed(new Error('the worker ended'))));
  });
}

function failed(error: NodeJS.ErrnoException): Error {
  const reason =
    error.code === 'ERR_MODULE_NOT_FOUND'
      ? 'it needs the package selfsigned 5; install it, or give certPath and keyPath'
      : error.message;
  return new Error(`TLS test mode has no certificate: ${reason}`, { cause: error });
}
