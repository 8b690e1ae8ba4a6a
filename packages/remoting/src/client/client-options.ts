import type { LookupFunction } from 'node:net';
import {
  type ConnectionOptions,
  connectionDefaults,
  connectionOptionTable,
  type ResolvedConnectionOptions,
  warnOfHugeFrames,
} from '../rpc/connection-options.js';
import { type OptionRow, type OptionTable, resolveOptions, timerMillis } from '../rpc/option-table.js';
import { textOfGiven } from '../text-of-given.js';
import { resolveTlsClientOptions, type TlsClientOptions, tlsProblem } from '../tls/tls-options.js';
import type { CreateConnection } from './create-connection.js';
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
  /**
   * After two dials of an address that failed in a row it is left alone for so long, then for `reconnectMultiplier` times that, and so on up to
   * `reconnectMaxMillis`; each time longer by a random part of itself, up to `reconnectJitter`. Meanwhile calls fail at once. With the
   * defaults a dead address is dialled at most ten times a minute. A dial counts as failed too when its connection was ended by an error, such as a
   * call without an answer in time, before any byte came over it. Default 1,000.
   */
  readonly reconnectInitialMillis?: number | undefined;
  /** Default 10,000. */
  readonly reconnectMaxMillis?: number | undefined;
  /** Default 2. */
  readonly reconnectMultiplier?: number | undefined;
  /** From 0 up to 1; default 0.2. */
  readonly reconnectJitter?: number | undefined;
  /** Whether connections that are lost are made anew in the background, instead of by the next call; default false. */
  readonly eager?: boolean | undefined;
  /**
   * A peer that sent nothing for so long is asked for a sign of life; default 0, never. Any answer is one, also that the code is unknown: but
   * name servers before 5.x answer nothing to unknown codes, so `heartbeatCode` must be one that they know.
   */
  readonly heartbeatMillis?: number | undefined;
  /** After so many times `heartbeatMillis` without a byte the connection is destroyed; default 3. */
  readonly heartbeatMisses?: number | undefined;
  /** The request code of that question; default 32,000, which no RocketMQ process knows. */
  readonly heartbeatCode?: number | undefined;
  /** How long a verification waits for the answer; default 1,000. */
  readonly heartbeatTimeoutMillis?: number | undefined;
  /**
   * A connection over which nothing came for so long, or since the machine slept, is verified by that question before a call goes over it; a
   * dead one is replaced within the call's time. Default 0: never.
   */
  readonly verifyIdleMillis?: number | undefined;
  /** Whether connections to all of the name server list are tried, every `connectTimeoutMillis`; default false [scanAvailableNameSrv, there true]. */
  readonly scanAvailableNameSrv?: boolean | undefined;
  /** Whether a request answered with GO_AWAY (1500) is sent again over a new connection; default true [enableReconnectForGoAway]. */
  readonly enableReconnectForGoAway?: boolean | undefined;
  /** Whether a connection over which nothing is called holds the process; default false: only calls under way do. */
  readonly keepProcessAlive?: boolean | undefined;
  /**
   * How often the names of connected servers are resolved again: a connection to an address that its name does not have any more takes no
   * further calls. Default 0: never, as names are resolved at each dial anyway.
   */
  readonly resolveIntervalMillis?: number | undefined;
  /** How names are resolved, as in `net.connect`; default `dns.lookup`. */
  readonly lookup?: LookupFunction | undefined;
  /** Makes the connections, in place of the client's own dial; then there are no `lookup` and no `socksProxy`. */
  readonly createConnection?: CreateConnection | undefined;
  /**
   * Whether requests carry the time that is left for them, in the ext field `__deadlineMillis`, so that servers of this package drop what nobody
   * waits for any more; default false.
   */
  readonly sendDeadline?: boolean | undefined;
}

/** Options without a default. */
type OptionalName = 'lookup' | 'tls' | 'createConnection';

export type ResolvedRemotingClientOptions = ResolvedConnectionOptions & {
  readonly [Name in Exclude<keyof RemotingClientOptions, keyof ConnectionOptions | OptionalName>]-?: NonNullable<
    RemotingClientOptions[Name]
  >;
} & Pick<RemotingClientOptions, OptionalName>;

const table: OptionTable<RemotingClientOptions> = {
  ...connectionOptionTable,
  timeoutMillis: timerMillis(1),
  connectTimeoutMillis: timerMillis(1),
  closeSocketIfTimeout: { kind: 'boolean' },
  socksProxy: { kind: 'checked', problem: socksProxyProblem },
  tls: { kind: 'checked', problem: tlsProblem(resolveTlsClientOptions) },
  createConnection: { kind: 'function' },
  reconnectInitialMillis: timerMillis(1),
  reconnectMaxMillis: timerMillis(1),
  reconnectMultiplier: numberFrom(1, 100),
  reconnectJitter: numberFrom(0, 1),
  eager: { kind: 'boolean' },
  heartbeatMillis: timerMillis(0),
  heartbeatMisses: { kind: 'integer', min: 2, max: 1_000 },
  heartbeatCode: { kind: 'integer', min: 0, max: 32_767 },
  heartbeatTimeoutMillis: timerMillis(1),
  verifyIdleMillis: timerMillis(0),
  scanAvailableNameSrv: { kind: 'boolean' },
  enableReconnectForGoAway: { kind: 'boolean' },
  keepProcessAlive: { kind: 'boolean' },
  resolveIntervalMillis: timerMillis(0),
  lookup: { kind: 'function' },
  sendDeadline: { kind: 'boolean' },
};

const defaults: ResolvedRemotingClientOptions = {
  ...connectionDefaults,
  timeoutMillis: 3_000,
  connectTimeoutMillis: 3_000,
  closeSocketIfTimeout: true,
  socksProxy: {},
  reconnectInitialMillis: 1_000,
  reconnectMaxMillis: 10_000,
  reconnectMultiplier: 2,
  reconnectJitter: 0.2,
  eager: false,
  heartbeatMillis: 0,
  heartbeatMisses: 3,
  heartbeatCode: 32_000,
  heartbeatTimeoutMillis: 1_000,
  verifyIdleMillis: 0,
  scanAvailableNameSrv: false,
  enableReconnectForGoAway: true,
  keepProcessAlive: false,
  resolveIntervalMillis: 0,
  sendDeadline: false,
  asyncPermits: 65_535,
  onewayPermits: 65_535,
};

/** A number, not only a whole one; both bounds are inclusive. */
function numberFrom(min: number, max: number): OptionRow {
  return {
    kind: 'checked',
    problem: (value) =>
      typeof value === 'number' && value >= min && value <= max
        ? undefined
        : `must be a number from ${min} to ${max}, not ${textOfGiven(value)}`,
  };
}

function socksProxyProblem(value: unknown): string | undefined {
  try {
    new SocksProxies(value as SocksProxyMap);
    return undefined;
  } catch (error) {
    return `cannot be: ${(error as Error).message}`;
  }
}

export function resolveClientOptions(options: RemotingClientOptions): ResolvedRemotingClientOptions {
  const resolved = resolveOptions('RemotingClient', table, defaults, options);
  warnOfHugeFrames(resolved);
  return resolved;
}
