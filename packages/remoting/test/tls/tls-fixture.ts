import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedChannel } from '../../src/channel/embedded-channel.js';
import { TlsClientContext, type TlsClientRules } from '../../src/tls/tls-client-context.js';
import { TlsServerContext, type TlsServerRules } from '../../src/tls/tls-server-context.js';
import { type IssuedCertificate, issueCertificate } from './issue-certificate.js';

const notBefore = new Date(Date.now() - 60_000);
const notAfter = new Date(Date.now() + 24 * 60 * 60 * 1000);

export const ca = issueCertificate({ commonName: 'test CA', notBefore, notAfter, isCa: true });
/** Signs what nobody trusts. */
export const strangeCa = issueCertificate({ commonName: 'strange CA', notBefore, notAfter, isCa: true });

/** A certificate for localhost. */
export function issued(commonName: string, issuer: IssuedCertificate = ca): IssuedCertificate {
  return issueCertificate({ commonName, notBefore, notAfter, issuer, dnsNames: ['localhost'] });
}

export function serverContext(own = issued('server'), rules: Partial<TlsServerRules> = {}): TlsServerContext {
  const material = { cert: Buffer.from(own.cert), key: Buffer.from(own.key), trust: Buffer.from(ca.cert) };
  return new TlsServerContext(material, { needClientAuth: 'none', authClient: true, ...rules });
}

export function clientContext(own?: IssuedCertificate, rules: Partial<TlsClientRules> = {}): TlsClientContext {
  const pair = own === undefined ? {} : { cert: Buffer.from(own.cert), key: Buffer.from(own.key) };
  const material = { ...pair, trust: Buffer.from(ca.cert) };
  return new TlsClientContext(material, { authServer: true, verifyHostname: false, ...rules });
}

/** One turn of the event loop: TLS says only then that it wrote something. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Carries bytes between two channels until neither has said anything for some turns. Returns how many messages were carried. */
export async function carry(left: EmbeddedChannel, right: EmbeddedChannel, most = Infinity): Promise<number> {
  let carried = 0;
  for (let quiet = 0; quiet < 5 && carried < most; quiet++) {
    for (const [from, to] of [
      [left, right],
      [right, left],
    ] as const) {
      for (let sent = from.readOutbound(); sent !== undefined; sent = from.readOutbound()) {
        quiet = 0;
        carried++;
        to.writeInbound(sent);
        if (carried >= most) return carried;
      }
    }
    await turn();
  }
  return carried;
}

/** A directory of its own that is removed with its content. */
export class TlsDirectory implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TlsDirectory> {
    return new TlsDirectory(await mkdtemp(join(tmpdir(), 'rmqns-tls-')));
  }

  at(name: string): string {
    return join(this.path, name);
  }

  async write(name: string, content: string): Promise<string> {
    await writeFile(this.at(name), content);
    return this.at(name);
  }

  /** Writes a certificate and its key, and says where they are. */
  async pair(name: string, { cert, key }: IssuedCertificate): Promise<{ certPath: string; keyPath: string }> {
    return { certPath: await this.write(`${name}.crt`, cert), keyPath: await this.write(`${name}.key`, key) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
