import type { SocketAddress } from '../channel/socket-address.js';
import { ipv6Bytes, isIpv4, isIpv6 } from '../codec/ip-address.js';
import type { SocksCredentials } from './socks-proxies.js';

const VERSION = 5;
const AUTH_VERSION = 1;
const NO_AUTHENTICATION = 0;
const USERNAME_PASSWORD = 2;
const NONE_ACCEPTABLE = 0xff;
const CONNECT = 1;
const ADDRESS_IPV4 = 1;
const ADDRESS_NAME = 3;
const ADDRESS_IPV6 = 4;
const MAX_NAME_BYTES = 255;

/** What a proxy's answer to CONNECT says, by its code (RFC 1928, section 6). */
const REPLIES: Readonly<Record<number, string>> = {
  1: 'general SOCKS server failure',
  2: 'connection not allowed by ruleset',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
};

/**
 * What a client says to a SOCKS5 proxy, and how it reads the answers (RFC 1928, and RFC 1929 for username and password). Names are left
 * to the proxy to resolve. Bytes in, bytes out; the connection is the caller's.
 */
export class SocksHandshake {
  readonly #target: SocketAddress;
  readonly #credentials: SocksCredentials | undefined;
  #step: 'method' | 'authentication' | 'reply' | 'done' = 'method';
  #received: Buffer = Buffer.alloc(0);

  constructor(target: SocketAddress, credentials: SocksCredentials | undefined) {
    this.#target = target;
    this.#credentials = credentials;
  }

  /** The first bytes to send. */
  greeting(): Buffer {
    return this.#credentials === undefined
      ? Buffer.of(VERSION, 1, NO_AUTHENTICATION)
      : Buffer.of(VERSION, 2, NO_AUTHENTICATION, USERNAME_PASSWORD);
  }

  /** True once the proxy has connected. */
  get isDone(): boolean {
    return this.#step === 'done';
  }

  /** Bytes that came behind the last answer: the target's. */
  get rest(): Buffer {
    return this.#received;
  }

  /**
   * Takes bytes of the proxy. Gives what to send next, if anything.
   *
   * @throws Error saying why the proxy does not connect
   */
  push(chunk: Buffer): Buffer | undefined {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    switch (this.#step) {
      case 'method':
        return this.#takeMethod();
      case 'authentication':
        return this.#takeAuthentication();
      case 'reply':
        this.#takeReply();
        return undefined;
      default:
        return undefined;
    }
  }

  #takeMethod(): Buffer | undefined {
    this.#requireVersion(VERSION);
    const method = this.#received[1];
    if (method === undefined) return undefined;
    this.#drop(2);
    if (method === NONE_ACCEPTABLE) {
      throw new Error(
        this.#credentials === undefined
          ? 'it wants authentication, and there is no username for it'
          : 'it accepts neither username and password nor no authentication',
      );
    }
    if (method === NO_AUTHENTICATION) return this.#connect();
    if (method !== USERNAME_PASSWORD || this.#credentials === undefined)
      throw new Error(`it chose the authentication method ${method}, which it was not offered`);
    this.#step = 'authentication';
    const username = Buffer.from(this.#credentials.username);
    const password = Buffer.from(this.#credentials.password);
    return Buffer.concat([Buffer.of(AUTH_VERSION, username.length), username, Buffer.of(password.length), password]);
  }

  #takeAuthentication(): Buffer | undefined {
    this.#requireVersion(AUTH_VERSION);
    const status = this.#received[1];
    if (status === undefined) return undefined;
    this.#drop(2);
    if (status !== 0) throw new Error('it refused the username and password');
    return this.#connect();
  }

  #takeReply(): void {
    this.#requireVersion(VERSION);
    const [, reply, , addressType, nameBytes] = this.#received;
    // A refusal is one already when its address has not come, or is none.
    if (reply !== undefined && reply !== 0)
      throw new Error(`it answered ${reply}, ${REPLIES[reply] ?? 'which no SOCKS5 proxy should'}`);
    if (addressType === undefined) return;
    let addressBytes: number;
    if (addressType === ADDRESS_IPV4) addressBytes = 4;
    else if (addressType === ADDRESS_IPV6) addressBytes = 16;
    else if (addressType !== ADDRESS_NAME)
      throw new Error(`its answer has the address type ${addressType}, which is none`);
    else if (nameBytes === undefined) return;
    else addressBytes = 1 + nameBytes;
    const length = 4 + addressBytes + 2;
    if (this.#received.length < length) return;
    this.#drop(length);
    this.#step = 'done';
  }

  #connect(): Buffer {
    this.#step = 'reply';
    const { host, port } = this.#target;
    return Buffer.concat([Buffer.of(VERSION, CONNECT, 0), addressOf(host), Buffer.of(port >> 8, port & 0xff)]);
  }

  #requireVersion(version: number): void {
    const first = this.#received[0];
    if (first !== undefined && first !== version)
      throw new Error(`it answered with version ${first} where ${version} was due: it is no SOCKS5 proxy`);
  }

  #drop(bytes: number): void {
    this.#received = this.#received.subarray(bytes);
  }
}

function addressOf(host: string): Buffer {
  if (isIpv4(host)) return Buffer.of(ADDRESS_IPV4, ...host.split('.').map(Number));
  if (isIpv6(host)) return Buffer.concat([Buffer.of(ADDRESS_IPV6), ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > MAX_NAME_BYTES) throw new Error(`the target's name has more than ${MAX_NAME_BYTES} bytes`);
  return Buffer.concat([Buffer.of(ADDRESS_NAME, name.length), name]);
}
