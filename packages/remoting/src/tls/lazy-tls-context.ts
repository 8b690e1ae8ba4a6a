import type { Duplex } from 'node:stream';
import type { TlsContext, TlsOpened } from './tls-context.js';

/** A server's context that is made when the first connection wants it. Handshakes wait for it; where it cannot be made, all fail. */
export class LazyTlsContext implements TlsContext {
  readonly isClient = false;
  readonly #make: () => Promise<TlsContext>;
  #made: Promise<TlsContext> | undefined;

  constructor(make: () => Promise<TlsContext>) {
    this.#make = make;
  }

  open(stream: Duplex, servername: string | undefined, opened: TlsOpened): void {
    this.#made ??= this.#make();
    this.#made
      .then((context) => {
        if (!stream.destroyed) context.open(stream, servername, opened);
      })
      .catch((error: Error) => opened(error, undefined));
  }
}
