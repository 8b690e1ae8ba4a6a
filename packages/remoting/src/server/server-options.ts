import type { Socket } from 'node:net';
import { AddressRange } from '../channel/address-range.js';
import { SerializeType } from '../command/serialize-type.js';
import { RemotingError } from '../errors.js';
import {
  type ConnectionOptions,
  connectionDefaults,
  connectionOptionTable,
  type ResolvedConnectionOptions,
  warnOfHugeFrames,
} from '../rpc/connection-options.js';
import { type OptionTable, resolveOptions } from '../rpc/option-table.js';
import { resolveTlsServerOptions, type TlsServerOptions, tlsProblem } from '../tls/tls-options.js';
import { unixPathProblem } from './unix-socket.js';

/** What a {@link RemotingServer} can be given (upstream: `NettyServerConfig`). Defaults for `asyncPermits` 64, for `onewayPermits` 256. */
export interface RemotingServerOptions extends ConnectionOptions {
  /** The address to listen on; default `127.0.0.1`, so that nothing is open by accident [bindAddress, there 0.0.0.0]. */
  readonly host?: string | undefined;
  /** The port; default 0, any free one [listenPort]. */
  readonly port?: number | undefined;
  /**
   * The path of a Unix socket to listen on, in place of host and port. The file goes when the server closes; one that a killed server left
   * is replaced, one on which somebody listens is not.
   */
  readonly path?: string | undefined;
  /** Connections the operating system holds before they are accepted; default 1024 [serverSocketBacklog]. */
  readonly backlog?: number | undefined;
  /** Header format of answers: that of the request (default), or always the same. */
  readonly responseSerializeType?: 'request' | SerializeType | undefined;
  /**
   * The proxies whose word for who connects is taken: addresses and ranges such as `10.0.0.0/8`, IPv4 and IPv6. From them, and nobody
   * else, a connection may begin with the PROXY protocol's header, version 1 or 2, which must be whole within 10 s. Default none.
   */
  readonly proxyProtocolFrom?: readonly string[] | undefined;
  /** How many connections may stand; those above are closed as soon as they are accepted. Default 0, any number. */
  readonly maxConnections?: number | undefined;
  /**
   * Bytes of frames that are not whole, over all connections; above it those are closed that have held most for longest. Default
   * 268,435,456; never less than one frame of `maxFrameBytes`.
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * Sees each connection that comes to the port before a byte of it is read; true when it took it, for instance to have another process serve
   * it. What it took is neither served nor counted here, until it is given to `accept`. Default: every connection is served.
   */
  readonly divert?: ((socket: Socket) => boolean) | undefined;
  /** TLS; without it no byte is looked at for it, and a peer that begins TLS is one that sends no frame. */
  readonly tls?: TlsServerOptions | undefined;
}

export type ResolvedRemotingServerOptions = ResolvedConnectionOptions &
  Pick<RemotingServerOptions, 'tls' | 'path' | 'divert'> & {
    readonly [Name in Exclude<
      keyof RemotingServerOptions,
      keyof ConnectionOptions | 'tls' | 'path' | 'divert'
    >]-?: NonNullable<RemotingServerOptions[Name]>;
  };

const table: OptionTable<RemotingServerOptions> = {
  ...connectionOptionTable,
  host: { kind: 'text' },
  port: { kind: 'integer', min: 0, max: 65_535 },
  path: { kind: 'checked', problem: unixPathProblem },
  backlog: { kind: 'integer', min: 1, max: 65_535 },
  responseSerializeType: { kind: 'choice', choices: ['request', ...Object.values(SerializeType)] },
  proxyProtocolFrom: { kind: 'checked', problem: addressRangeProblem },
  maxConnections: { kind: 'integer', min: 0, max: 0x7fffffff },
  maxBufferedBytes: { kind: 'integer', min: 1, max: Number.MAX_SAFE_INTEGER },
  divert: { kind: 'function' },
  tls: { kind: 'checked', problem: tlsProblem(resolveTlsServerOptions) },
};

const defaults: ResolvedRemotingServerOptions = {
  ...connectionDefaults,
  host: '127.0.0.1',
  port: 0,
  backlog: 1024,
  responseSerializeType: 'request',
  proxyProtocolFrom: [],
  maxConnections: 0,
  maxBufferedBytes: 256 * 1024 * 1024,
  asyncPermits: 64,
  onewayPermits: 256,
};

function addressRangeProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every((text) => typeof text === 'string')) return 'must be a list of strings';
  try {
    new AddressRange(value);
    return undefined;
  } catch (error) {
    return `cannot be: ${(error as Error).message}`;
  }
}

export function resolveServerOptions(options: RemotingServerOptions): ResolvedRemotingServerOptions {
  const resolved = resolveOptions('RemotingServer', table, defaults, options);
  if (options.path !== undefined && (options.host !== undefined || options.port !== undefined))
    throw new RemotingError('INVALID_ARGUMENT', 'options of RemotingServer: path excludes host and port');
  warnOfHugeFrames(resolved);
  return resolved;
}
