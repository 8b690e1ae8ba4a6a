import {
  type ConnectionOptions,
  connectionDefaults,
  connectionOptionTable,
  type ResolvedConnectionOptions,
} from '../rpc/connection-options.js';
import { type OptionTable, resolveOptions, timerMillis } from '../rpc/option-table.js';
import { resolveTlsClientOptions, type TlsClientOptions, tlsProblem } from '../tls/tls-options.js';
import { SocksProxies, type SocksProxyMap } from './socks-proxies.js';

/** What a {@link RemotingClient} can be given (upstream: `NettyClientConfig`). `asyncPermits` and `onewayPermits` are 65,535 by default. */
export interface RemotingClientOptions extends ConnectionOptions {
  /** How long a call may take, dial included, when it does not say; default 3,000. */
  readonly timeoutMillis?: number | undefined;
  /** How long a dial may take; default 3,000 [connectTimeoutMillis]. */
  readonly connectTimeoutMillis?: number | undefined;
  /** Whether a call that got no answer in time closes its connection, which may be half dead; default true [clientCloseSocketIfTimeout]. */
  readonly closeSocketIfTimeout?: boolean | undefined;
  /**
   * SOCKS5 proxies by range of target addresses, or the JSON text of such a map; the first range that holds the target decides, and
   * `0.0.0.0/0` holds everything, names too. Names are resolved by the proxy. Default none [socksProxyConfig].
   */
  readonly socksProxy?: SocksProxyMap | string | undefined;
  /** TLS with every server; default none [tls.enable]. A dial is done when the handshake is, which `connectTimeoutMillis` covers. */
  readonly tls?: TlsClientOptions | undefined;
}

export type ResolvedRemotingClientOptions = ResolvedConnectionOptions & {
  readonly [Name in Exclude<keyof RemotingClientOptions, keyof ConnectionOptions | 'tls'>]-?: NonNullable<
    RemotingClientOptions[Name]
  >;
} & Pick<RemotingClientOptions, 'tls'>;

const table: OptionTable<RemotingClientOptions> = {
  ...connectionOptionTable,
  timeoutMillis: timerMillis(1),
  connectTimeoutMillis: timerMillis(1),
  closeSocketIfTimeout: { kind: 'boolean' },
  socksProxy: { kind: 'checked', problem: socksProxyProblem },
  tls: { kind: 'checked', problem: tlsProblem(resolveTlsClientOptions) },
};

const defaults: ResolvedRemotingClientOptions = {
  ...connectionDefaults,
  timeoutMillis: 3_000,
  connectTimeoutMillis: 3_000,
  closeSocketIfTimeout: true,
  socksProxy: {},
  asyncPermits: 65_535,
  onewayPermits: 65_535,
};

function socksProxyProblem(value: unknown): string | undefined {
  try {
    new SocksProxies(value as SocksProxyMap);
    return undefined;
  } catch (error) {
    return `cannot be: ${(error as Error).message}`;
  }
}

export function resolveClientOptions(options: RemotingClientOptions): ResolvedRemotingClientOptions {
  return resolveOptions('RemotingClient', table, defaults, options);
}
