import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** Told once how a handshake ended. */
export type TlsOpened = (error: Error | undefined, socket: TLSSocket | undefined) => void;

/** Certificates and rules for one side, from which connections get their TLS (upstream: Netty's `SslContext`). It does not change. */
export interface TlsContext {
  readonly isClient: boolean;
  /** Begins a handshake over `stream`; destroying the stream gives it up. `servername` is what a client asks the server for. */
  open(stream: Duplex, servername: string | undefined, opened: TlsOpened): void;
}

/** Certificates and keys as PEM. */
export interface TlsMaterial {
  readonly key?: Buffer | undefined;
  /** Of an encrypted key. */
  readonly keyPassword?: string | undefined;
  /** The certificate, then those between it and the CA. */
  readonly cert?: Buffer | undefined;
  /** CAs of the other side; the platform's store without them. */
  readonly trust?: Buffer | undefined;
}
