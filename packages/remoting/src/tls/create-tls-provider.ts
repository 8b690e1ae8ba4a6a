import type { Clock } from '../clock.js';
import { issueCertificate } from './self-signed-certificate.js';
import { TlsClientContext } from './tls-client-context.js';
import type { TlsMaterial } from './tls-context.js';
import { TlsContextProvider, type TlsReloadEvent } from './tls-context-provider.js';
import type { ResolvedTlsClientOptions, ResolvedTlsServerOptions } from './tls-options.js';
import { TlsServerContext } from './tls-server-context.js';

type OnReload = (event: TlsReloadEvent) => void;

const dayMillis = 24 * 60 * 60 * 1000;

/** The contexts of a server with these options. */
export function createTlsServerProvider(
  options: ResolvedTlsServerOptions,
  clock: Clock,
  onReload: OnReload,
): TlsContextProvider {
  const { needClientAuth, authClient, reloadIntervalMillis } = options;
  if (options.testMode) {
    const build = (): TlsServerContext =>
      new TlsServerContext(testMaterial(clock), { needClientAuth: 'optional', authClient: false });
    return new TlsContextProvider({ files: {}, clock, build });
  }
  const build = (material: TlsMaterial): TlsServerContext => {
    if (material.cert === undefined)
      throw new Error('a server needs certPath and keyPath (tls.server.certPath, tls.server.keyPath)');
    return new TlsServerContext(material, { needClientAuth, authClient });
  };
  return new TlsContextProvider({ files: options, reloadIntervalMillis, clock, build, onReload });
}

/** The contexts of a client with these options. */
export function createTlsClientProvider(
  options: ResolvedTlsClientOptions,
  clock: Clock,
  onReload: OnReload,
): TlsContextProvider {
  const { authServer, verifyHostname, reloadIntervalMillis } = options;
  if (options.testMode) {
    const build = (): TlsClientContext => new TlsClientContext({}, { authServer: false, verifyHostname: false });
    return new TlsContextProvider({ files: {}, clock, build });
  }
  const build = (material: TlsMaterial): TlsClientContext =>
    new TlsClientContext(material, { authServer, verifyHostname });
  return new TlsContextProvider({ files: options, reloadIntervalMillis, clock, build, onReload });
}

/** A year is longer than a try lasts; a day earlier, for peers whose clock is behind. */
function testMaterial(clock: Clock): TlsMaterial {
  const now = clock.now();
  const { cert, key } = issueCertificate({
    commonName: 'rmqns TLS test mode',
    notBefore: new Date(now - dayMillis),
    notAfter: new Date(now + 365 * dayMillis),
    dnsNames: ['localhost'],
  });
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}
