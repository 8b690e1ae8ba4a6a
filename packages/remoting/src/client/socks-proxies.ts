import { AddressRange } from '../channel/address-range.js';
import { parseSocketAddress, type SocketAddress } from '../channel/socket-address.js';
import { RemotingError } from '../errors.js';

/** A SOCKS5 proxy as upstream's `SocksProxyConfig` has it. */
export interface SocksProxyConfig {
  /** `host:port` of the proxy. */
  readonly addr: string;
  /** Up to 255 bytes; without it, or with an empty one, the proxy is asked without authentication. */
  readonly username?: string | null | undefined;
  /** Up to 255 bytes. */
  readonly password?: string | null | undefined;
}

/** Which targets go through which proxy: by range of addresses, in order; null for those that are dialled directly. */
export type SocksProxyMap = Readonly<Record<string, SocksProxyConfig | null>>;

export interface SocksCredentials {
  readonly username: string;
  readonly password: string;
}

export interface SocksProxy {
  /** As configured, for messages. */
  readonly address: string;
  readonly target: SocketAddress;
  /** Behind a function, so that nothing that prints this object shows them. */
  readonly credentials: () => SocksCredentials | undefined;
}

/** The key for all targets, names and IPv6 addresses too. */
const EVERYTHING = '0.0.0.0/0';
const MAX_CREDENTIAL_BYTES = 255;

/**
 * The proxies of a client (upstream: `socksProxyConfig` of 5.3.3; reference: remoting 4.7). The first range that holds the target's
 * address decides; `0.0.0.0/0` holds everything. A target that is a name is in no other range, since nothing is resolved here.
 */
export class SocksProxies {
  readonly #entries: readonly { readonly holds: (host: string) => boolean; readonly proxy: SocksProxy | undefined }[];

  /**
   * @param config a map, or its JSON text
   * @throws RemotingError `INVALID_ARGUMENT`; never with a part of the text, which may hold passwords
   */
  constructor(config: SocksProxyMap | string) {
    this.#entries = Object.entries(parse(config)).map(([range, proxy]) => {
      const addresses = new AddressRange([range]);
      return {
        holds: range === EVERYTHING ? () => true : (host: string) => addresses.includes(host),
        proxy: proxy === null ? undefined : readProxy(range, proxy),
      };
    });
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The proxy for a target, or undefined when it is to be dialled directly. */
  find(host: string): SocksProxy | undefined {
    return this.#entries.find(({ holds }) => holds(host))?.proxy;
  }
}

function parse(config: unknown): Readonly<Record<string, unknown>> {
  let map = config;
  if (typeof config === 'string') {
    try {
      map = JSON.parse(config);
    } catch {
      // Not with its cause: that quotes the text.
      throw invalid('its text is not JSON');
    }
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw invalid('it must be a map from ranges of addresses to proxies');
  return map as Readonly<Record<string, unknown>>;
}

function readProxy(range: string, config: unknown): SocksProxy {
  const { addr, username, password } = (config ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof addr !== 'string') throw invalid(`${range} has no addr, the host:port of its proxy`);
  const name = credential(range, 'username', username);
  const credentials = name === '' ? undefined : { username: name, password: credential(range, 'password', password) };
  return { address: addr, target: parseSocketAddress(addr), credentials: () => credentials };
}

function credential(range: string, what: string, value: unknown): string {
  const text = value ?? '';
  if (typeof text !== 'string' || Buffer.byteLength(text) > MAX_CREDENTIAL_BYTES)
    throw invalid(`the ${what} of ${range} must be a text of at most ${MAX_CREDENTIAL_BYTES} bytes`);
  return text;
}

function invalid(why: string): RemotingError {
  return new RemotingError('INVALID_ARGUMENT', why);
}
