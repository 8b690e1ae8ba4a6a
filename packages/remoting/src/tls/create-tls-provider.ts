import type { Clock } from '../clock.js';
import { LazyTlsContext } from './lazy-tls-context.js';
import { makeTestCertificate } from './test-certificate.js';
import { TlsClientContext } from './tls-client-context.js';
import type { TlsContext, TlsMaterial } from './tls-context.js';
import { TlsContextProvider, type TlsReloadEvent } from './tls-context-provider.js';
import type { ResolvedTlsClientOptions, ResolvedTlsServerOptions } from './tls-options.js';
import { TlsServerContext } from './tls-server-context.js';

type OnReload = (event: TlsReloadEvent) => void;

/** The contexts of a server with these options; `initial` is used until they give one. */
export function createTlsServerProvider(
  options: ResolvedTlsServerOptions,
  clock: Clock,
  onReload: OnReload,
  initial?: TlsContext,
): TlsContextProvider {
  const { needClientAuth, authClient, reloadIntervalMillis } = options;
  if (options.testMode) {
    const rules = { needClientAuth: 'optional', authClient: false } as const;
    const build = (): TlsContext =>
      new LazyTlsContext(async () => new TlsServerContext(await makeTestCertificate(clock.now()), rules));
    return new TlsContextProvider({ files: {}, clock, build, onReload, initial });
  }
  const build = (material: TlsMaterial): TlsServerContext => {
    if (material.cert === undefined)
      throw new Error('a server needs certPath and keyPath (tls.server.certPath, tls.server.keyPath)');
    return new TlsServerContext(material, { needClientAuth, authClient });
  };
  return new TlsContextProvider({ files: options, reloadIntervalMillis, clock, build, onReload, initial });
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
