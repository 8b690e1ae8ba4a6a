import { Duplex } from 'node:stream';

export interface TlsStreamEnds {
  /** Encrypted bytes for the peer. */
  readonly out: (chunks: readonly Uint8Array[]) => void;
  /** The last encrypted bytes are out. */
  readonly ended: () => void;
  /** Room for encrypted bytes of the peer. */
  readonly wanted: () => void;
}

/**
 * What a `TLSSocket` takes for its connection while the bytes go through a pipeline. It keeps nothing: what TLS writes leaves at once, where it
 * is counted as every write is, and what is pushed reaches TLS at once while TLS reads.
 */
export class TlsStream extends Duplex {
  readonly #ends: TlsStreamEnds;

  constructor(ends: TlsStreamEnds) {
    super();
    this.#ends = ends;
  }

  override _read(): void {
    this.#ends.wanted();
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#ends.out([chunk]);
    callback();
  }

  override _writev(chunks: { readonly chunk: Uint8Array }[], callback: (error?: Error | null) => void): void {
    this.#ends.out(chunks.map(({ chunk }) => chunk));
    callback();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#ends.ended();
    callback();
  }
}
