import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, connect, createSecureContext, type SecureContext } from 'node:tls';
import type { TlsContext, TlsMaterial, TlsOpened } from './tls-context.js';

export interface TlsClientRules {
  /** Whether the server's certificate must be one of a trusted CA. */
  readonly authServer: boolean;
  /** Whether it must be for the host that was dialled. */
  readonly verifyHostname: boolean;
}

/** The client's side of TLS. */
export class TlsClientContext implements TlsContext {
  readonly isClient = true;
  readonly #rules: TlsClientRules;
  readonly #secureContext: SecureContext;

  /** @throws what Node throws of certificates and keys that are none */
  constructor({ key, keyPassword, cert, trust }: TlsMaterial, rules: TlsClientRules) {
    this.#rules = rules;
    this.#secureContext = createSecureContext({
      key,
      passphrase: keyPassword,
      cert,
      ca: rules.authServer ? trust : undefined,
    });
  }

  open(stream: Duplex, servername: string | undefined, opened: TlsOpened): void {
    const { authServer, verifyHostname } = this.#rules;
    const socket = connect({
      socket: stream,
      secureContext: this.#secureContext,
      rejectUnauthorized: authServer,
      checkServerIdentity: (host, cert) => (verifyHostname ? checkServerIdentity(servername ?? host, cert) : undefined),
      // An address is not a name that a server can be asked for (RFC 6066).
      ...(servername !== undefined && isIP(servername) === 0 ? { servername } : {}),
    });
    const onSecure = (): void => {
      socket.removeListener('error', onError);
      opened(undefined, socket);
    };
    const onError = (error: Error): void => {
      socket.removeListener('secureConnect', onSecure);
      // A socket may report a second error, and one without a listener would end the process.
      socket.on('error', () => {});
      opened(error, undefined);
    };
    socket.once('secureConnect', onSecure);
    socket.once('error', onError);
  }
}
