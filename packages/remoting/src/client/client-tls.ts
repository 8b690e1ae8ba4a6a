import type { Channel } from '../channel/channel.js';
import type { Clock } from '../clock.js';
import { RemotingError } from '../errors.js';
import { TlsHandler } from '../handler/tls-handler.js';
import { createTlsClientProvider } from '../tls/create-tls-provider.js';
import type { TlsContext } from '../tls/tls-context.js';
import type { TlsContextProvider, TlsReloadEvent } from '../tls/tls-context-provider.js';
import { TlsError } from '../tls/tls-error.js';
import { type ResolvedTlsClientOptions, resolveTlsClientOptions, type TlsClientOptions } from '../tls/tls-options.js';

/** A client's TLS: its contexts, and the handshake that belongs to a dial. */
export class ClientTls {
  readonly #options: ResolvedTlsClientOptions;
  readonly #provider: TlsContextProvider;
  readonly #clock: Clock;
  /** Their handshake failed; they say so to the server before they end, for a second at most. */
  readonly #ending = new Set<Channel>();

  constructor(options: TlsClientOptions, clock: Clock, onReload: (event: TlsReloadEvent) => void) {
    this.#options = resolveTlsClientOptions(options);
    this.#clock = clock;
    this.#provider = createTlsClientProvider(this.#options, clock, onReload);
  }

  /** The context of the moment; the files are read with the first one, and followed from then on. @throws TlsError */
  async context(address: string): Promise<TlsContext> {
    try {
      const context = await this.#provider.get();
      this.#provider.watch();
      return context;
    } catch (error) {
      throw new TlsError(address, `our own files cannot be used: ${(error as Error).message}`, error);
    }
  }

  /**
   * Puts TLS in at the head, starts the channel and resolves when the handshake is done; `opened` is called right before the channel's
   * first event. @throws TlsError; the channel is closed then
   */
  handshake(
    channel: Channel & { start(): unknown },
    context: TlsContext,
    host: string,
    timeoutMillis: number,
    signal: AbortSignal,
    opened: () => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const address = channel.remoteAddress;
      const onAbort = (): void =>
        channel.destroy(new RemotingError('CLOSED', 'the client was closed during the handshake', { address }));
      const onHandshake = (error: RemotingError | undefined): void => {
        signal.removeEventListener('abort', onAbort);
        if (error !== undefined) {
          this.#ending.add(channel);
          void channel.closed.then(() => this.#ending.delete(channel));
          reject(error);
          return;
        }
        opened();
        resolve();
      };
      const { handshakeTimeoutMillis, servername = host } = this.#options;
      const handler = new TlsHandler(context, {
        handshakeTimeoutMillis: Math.min(handshakeTimeoutMillis, timeoutMillis),
        servername,
        onHandshake,
        clock: this.#clock,
      });
      channel.pipeline.addFirst('tls', handler);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      channel.start();
    });
  }

  close(): void {
    this.#provider.close();
    for (const channel of this.#ending) channel.destroy();
  }
}
