import { DecodeError } from '../errors.js';

/** One end of the connection that a proxy took. */
export interface ProxiedEndpoint {
  /** An address, IPv6 without brackets, or the path of a Unix socket, which may be empty. */
  readonly address: string;
  /** 0 for a Unix socket. */
  readonly port: number;
}

/** A piece of what a proxy adds to a version 2 header, such as the name that a TLS client asked for. */
export interface ProxyProtocolTlv {
  /** 0 to 255. */
  readonly type: number;
  readonly value: Buffer;
}

/** What a proxy says of the connection that it forwards (the PROXY protocol of HAProxy; reference: remoting 5.2). */
export interface ProxyProtocolHeader {
  readonly version: 1 | 2;
  /** How many bytes the header has; what follows is the client's. */
  readonly headerBytes: number;
  /** Who connected to the proxy; `undefined` where the proxy speaks for itself (LOCAL) or does not know (UNKNOWN). */
  readonly source: ProxiedEndpoint | undefined;
  /** Where at the proxy it connected to. */
  readonly destination: ProxiedEndpoint | undefined;
  /** In their order; those inside an SSL piece (0x20) follow it. Empty in version 1. */
  readonly tlvs: readonly ProxyProtocolTlv[];
}

/** What is wrong with a header, for both versions. */
export function badProxyHeader(why: string): DecodeError {
  return new DecodeError(`a PROXY protocol header is bad: ${why}`);
}
