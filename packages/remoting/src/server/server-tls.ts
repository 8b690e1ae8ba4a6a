import type { Clock } from '../clock.js';
import { RemotingError } from '../errors.js';
import { TlsDetector } from '../handler/tls-detector.js';
import type { Logger } from '../logger.js';
import { createTlsServerProvider } from '../tls/create-tls-provider.js';
import type { TlsContextProvider, TlsReloadEvent } from '../tls/tls-context-provider.js';
import { TlsError } from '../tls/tls-error.js';
import { type ResolvedTlsServerOptions, resolveTlsServerOptions, type TlsServerOptions } from '../tls/tls-options.js';
import { TlsRefusalLog } from '../tls/tls-refusal-log.js';

/** A server's TLS: its contexts, a detector for each connection, and what is said of refused ones. */
export class ServerTls {
  readonly #options: ResolvedTlsServerOptions;
  readonly #provider: TlsContextProvider;
  readonly #refusals: TlsRefusalLog;
  readonly #logger: Logger;
  readonly #clock: Clock;

  constructor(options: TlsServerOptions, clock: Clock, logger: Logger, onReload: (event: TlsReloadEvent) => void) {
    this.#options = resolveTlsServerOptions(options);
    this.#clock = clock;
    this.#logger = logger;
    this.#refusals = new TlsRefusalLog(logger, clock);
    this.#provider = createTlsServerProvider(this.#options, clock, onReload);
  }

  /**
   * Makes the first context. Without one a permissive server still serves plain connections, as upstream's does, and gets one as soon as
   * the files are right.
   *
   * @throws RemotingError `INVALID_ARGUMENT` where TLS is enforced, since nobody could be served
   */
  async prepare(): Promise<void> {
    const { mode } = this.#options;
    if (mode === 'disabled') return;
    try {
      await this.#provider.get();
    } catch (error) {
      const message = `the certificate and key for TLS cannot be used: ${(error as Error).message}`;
      if (mode === 'enforcing') throw new RemotingError('INVALID_ARGUMENT', message, { cause: error });
      this.#logger.error({ err: error }, `${message}; connections that begin TLS are refused until they can`);
    }
  }

  /** Follows changes of the files, until {@link close}. */
  watch(): void {
    if (this.#options.mode !== 'disabled') this.#provider.watch();
  }

  close(): void {
    this.#provider.close();
  }

  detector(): TlsDetector {
    const { mode, handshakeTimeoutMillis } = this.#options;
    return new TlsDetector({
      mode,
      handshakeTimeoutMillis,
      clock: this.#clock,
      context: () => this.#provider.current,
    });
  }

  /** True when this error was TLS's, and is logged. */
  logs(error: RemotingError): boolean {
    if (!(error instanceof TlsError)) return false;
    this.#refusals.refused(error);
    return true;
  }
}
