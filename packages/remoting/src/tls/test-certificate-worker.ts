import { parentPort, workerData } from 'node:worker_threads';
import { generate } from 'selfsigned';
import type { TestCertificateRequest } from './test-certificate.js';

const { notBeforeMillis, notAfterMillis } = workerData as TestCertificateRequest;
const { cert, private: key } = await generate([{ name: 'commonName', value: 'rmqns TLS test mode' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  notBeforeDate: new Date(notBeforeMillis),
  notAfterDate: new Date(notAfterMillis),
  extensions: [
    { name: 'basicConstraints', cA: false },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ],
});
parentPort?.postMessage({ cert, key });
