import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { TlsContext, TlsMaterial, TlsOpened } from './tls-context.js';
import type { NeedClientAuth } from './tls-options.js';

export interface TlsServerRules {
  readonly needClientAuth: NeedClientAuth;
  /** Whether a client's certificate must be one of a trusted CA. */
  readonly authClient: boolean;
}

/** Kept for further handshakes; a flood makes more, which are left to the garbage collector. */
const maxIdleAcceptors = 16;

/**
 * The server's side of TLS. Each handshake under way has a `tls.Server` that listens nowhere, since its events do not say which of several
 * streams they are about; after it the object serves the next one. (One for each connection would cost milliseconds and 36 KiB.)
 */
export class TlsServerContext implements TlsContext {
  readonly isClient = false;
  readonly #rules: TlsServerRules;
  readonly #options: TlsOptions;
  readonly #idle: Server[] = [];

  /** @throws what Node throws of certificates and keys that are none */
  constructor({ key, keyPassword, cert, trust }: TlsMaterial, rules: TlsServerRules) {
    this.#rules = rules;
    const { needClientAuth, authClient } = rules;
    this.#options = {
      key,
      passphrase: keyPassword,
      cert,
      ca: authClient ? trust : undefined,
      requestCert: needClientAuth !== 'none',
      // Else the certificate is looked at after the handshake; only here does the client get an alert that says why.
      rejectUnauthorized: needClientAuth === 'require' && authClient,
      // One for all, or a session could be resumed with one acceptor only; new with each context, so that a reload is seen by all.
      ticketKeys: randomBytes(48),
      // The handler has a limit of its own, by the injected clock.
      handshakeTimeout: 0x7fffffff,
    };
    this.#idle.push(createServer(this.#options));
  }

  open(stream: Duplex, _servername: string | undefined, opened: TlsOpened): void {
    const acceptor = this.#idle.pop() ?? createServer(this.#options);
    const done = (): void => {
      acceptor.removeListener('secureConnection', onSecure);
      acceptor.removeListener('tlsClientError', onError);
      if (this.#idle.length < maxIdleAcceptors) this.#idle.push(acceptor);
    };
    const onSecure = (socket: TLSSocket): void => {
      done();
      const refused = this.#refuses(socket);
      if (refused === undefined) {
        opened(undefined, socket);
        return;
      }
      socket.on('error', () => {});
      socket.destroy();
      opened(refused, undefined);
    };
    const onError = (error: Error, socket: TLSSocket): void => {
      done();
      opened(untrusted(socket) ?? error, undefined);
    };
    acceptor.once('secureConnection', onSecure);
    acceptor.once('tlsClientError', onError);
    acceptor.emit('connection', stream);
  }

  #refuses(socket: TLSSocket): Error | undefined {
    const { needClientAuth, authClient } = this.#rules;
    if (needClientAuth === 'none') return undefined;
    if (socket.getPeerX509Certificate() === undefined)
      return needClientAuth === 'require'
        ? new Error('the peer presented no certificate, and one is required')
        : undefined;
    return authClient && !socket.authorized ? (untrusted(socket) ?? new Error('not authorized')) : undefined;
  }
}

/** Typed as an error, it is the code of one. */
function untrusted({ authorizationError }: TLSSocket): Error | undefined {
  const code: unknown = authorizationError;
  if (code === null || code === undefined) return undefined;
  return Object.assign(new Error(`certificate not trusted: ${String(code)}`), { code: String(code) });
}
