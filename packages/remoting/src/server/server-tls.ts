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
  #options: ResolvedTlsServerOptions;
  #provider: TlsContextProvider;
  #isWatching = false;
  #isClosed = false;
  readonly #refusals: TlsRefusalLog;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #onReload: (event: TlsReloadEvent) => void;

  constructor(options: TlsServerOptions, clock: Clock, logger: Logger, onReload: (event: TlsReloadEvent) => void) {
    this.#options = resolveTlsServerOptions(options);
    this.#clock = clock;
    this.#onReload = onReload;
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
    this.#isWatching = this.#options.mode !== 'disabled' && !this.#isClosed;
    if (this.#isWatching) this.#provider.watch();
  }

  /**
   * Looks at the files now, and tells what came of it. With `options` these take the place of those before, but for the mode; the certificate
   * before stays in use until theirs can be.
   *
   * @throws RemotingError `INVALID_ARGUMENT` for options that cannot be
   */
  async reload(options?: TlsServerOptions): Promise<void> {
    const { mode } = this.#options;
    if (options !== undefined) {
      const before = this.#provider;
      const next = resolveTlsServerOptions({ ...options, mode });
      if (this.#isClosed) return;
      before.close();
      this.#options = next;
      this.#provider = createTlsServerProvider(next, this.#clock, this.#onReload, before.current);
      if (this.#isWatching) this.#provider.watch();
    }
    if (mode !== 'disabled' && !this.#isClosed) await this.#provider.reload();
  }

  close(): void {
    this.#isClosed = true;
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
