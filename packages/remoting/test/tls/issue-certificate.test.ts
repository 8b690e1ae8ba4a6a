import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { issueCertificate } from './issue-certificate.js';

const notBefore = new Date('2026-01-02T03:04:05Z');

describe('issueCertificate', () => {
  it('makes a certificate that a reader of X.509 takes, with its key', () => {
    const { cert, key } = issueCertificate({
      commonName: 'Ünter einem Namen',
      notBefore,
      notAfter: new Date('2049-12-31T23:59:59Z'),
      dnsNames: ['localhost', 'broker.example'],
    });
    const read = new X509Certificate(cert);
    expect(read.subject).to.equal('CN=Ünter einem Namen');
    expect(read.issuer).to.equal(read.subject);
    expect([read.validFrom, read.validTo]).to.deep.equal(['Jan  2 03:04:05 2026 GMT', 'Dec 31 23:59:59 2049 GMT']);
    expect([read.ca, read.subjectAltName]).to.deep.equal([false, 'DNS:localhost, DNS:broker.example']);
    expect(read.checkPrivateKey(createPrivateKey(key))).to.equal(true);
    expect(read.verify(read.publicKey)).to.equal(true);
    expect(read.serialNumber).to.match(/^01[0-9A-F]{30}$/);
  });

  it('signs for others', () => {
    const ca = issueCertificate({
      commonName: 'CA',
      notBefore,
      notAfter: new Date('2050-01-01T00:00:00Z'),
      isCa: true,
    });
    const leaf = issueCertificate({
      commonName: 'leaf',
      notBefore,
      notAfter: new Date('2051-06-01T00:00:00Z'),
      issuer: ca,
    });
    const [authority, issued] = [new X509Certificate(ca.cert), new X509Certificate(leaf.cert)];
    expect([authority.ca, issued.checkIssued(authority), issued.verify(authority.publicKey)]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(issued.validTo).to.equal('Jun  1 00:00:00 2051 GMT');
  });
});
