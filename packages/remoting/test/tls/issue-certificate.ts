import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Whose key signs a certificate, and by what name. */
interface CertificateIssuer {
  readonly commonName: string;
  readonly privateKey: KeyObject;
}

export interface CertificateInit {
  readonly commonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Default: the certificate's own key. */
  readonly issuer?: CertificateIssuer | undefined;
  /** Whether it may sign others; default false. */
  readonly isCa?: boolean | undefined;
  readonly dnsNames?: readonly string[] | undefined;
}

export interface IssuedCertificate extends CertificateIssuer {
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS#8. */
  readonly key: string;
}

/**
 * Makes a P-256 key and an X.509 certificate for it at once: Node can read certificates but not make them. Written down in DER after
 * RFC 5280, with the few extensions that peers look at.
 */
export function issueCertificate(init: CertificateInit): IssuedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = init.issuer ?? { commonName: init.commonName, privateKey };
  const toBeSigned = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    name(issuer.commonName),
    sequence(time(init.notBefore), time(init.notAfter)),
    name(init.commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(init))),
  );
  const signature = sign('sha256', toBeSigned, issuer.privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bitString(signature));
  return {
    commonName: init.commonName,
    privateKey,
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions({ isCa = false, dnsNames = [] }: CertificateInit): Buffer[] {
  const basicConstraints = sequence(oid(0x55, 0x1d, 0x13), yes, octetString(isCa ? sequence(yes) : sequence()));
  if (dnsNames.length === 0) return [basicConstraints];
  const names = sequence(...dnsNames.map((dnsName) => tagged(0x82, Buffer.from(dnsName, 'latin1'))));
  return [basicConstraints, sequence(oid(0x55, 0x1d, 0x11), octetString(names))];
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
const explicit = (number: number, part: Uint8Array): Buffer => tagged(0xa0 + number, part);
const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes);
const oid = (...bytes: readonly number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const octetString = (content: Uint8Array): Buffer => tagged(0x04, content);
const bitString = (content: Uint8Array): Buffer => tagged(0x03, Buffer.from([0]), content);
const yes = tagged(0x01, Buffer.from([0xff]));
const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

function name(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(commonName)))));
}

/** Two digits of the year until 2049, four after it. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
