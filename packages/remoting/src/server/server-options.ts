import { SerializeType } from '../command/serialize-type.js';
import {
  type ConnectionOptions,
  connectionDefaults,
  connectionOptionTable,
  type ResolvedConnectionOptions,
} from '../rpc/connection-options.js';
import { type OptionTable, resolveOptions } from '../rpc/option-table.js';

/** What a {@link RemotingServer} can be given (upstream: `NettyServerConfig`). Defaults for `asyncPermits` 64, for `onewayPermits` 256. */
export interface RemotingServerOptions extends ConnectionOptions {
  /** The address to listen on; default `127.0.0.1`, so that nothing is open by accident [bindAddress, there 0.0.0.0]. */
  readonly host?: string | undefined;
  /** The port; default 0, any free one [listenPort]. */
  readonly port?: number | undefined;
  /** Connections the operating system holds before they are accepted; default 1024 [serverSocketBacklog]. */
  readonly backlog?: number | undefined;
  /** Header format of answers: that of the request (default), or always the same. */
  readonly responseSerializeType?: 'request' | SerializeType | undefined;
}

export type ResolvedRemotingServerOptions = ResolvedConnectionOptions & {
  readonly [Name in Exclude<keyof RemotingServerOptions, keyof ConnectionOptions>]-?: NonNullable<
    RemotingServerOptions[Name]
  >;
};

const table: OptionTable<RemotingServerOptions> = {
  ...connectionOptionTable,
  host: { kind: 'text' },
  port: { kind: 'integer', min: 0, max: 65_535 },
  backlog: { kind: 'integer', min: 1, max: 65_535 },
  responseSerializeType: { kind: 'choice', choices: ['request', ...Object.values(SerializeType)] },
};

const defaults: ResolvedRemotingServerOptions = {
  ...connectionDefaults,
  host: '127.0.0.1',
  port: 0,
  backlog: 1024,
  responseSerializeType: 'request',
  asyncPermits: 64,
  onewayPermits: 256,
};

export function resolveServerOptions(options: RemotingServerOptions): ResolvedRemotingServerOptions {
  return resolveOptions('RemotingServer', table, defaults, options);
}
