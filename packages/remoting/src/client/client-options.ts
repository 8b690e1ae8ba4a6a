import {
  type ConnectionOptions,
  connectionDefaults,
  connectionOptionTable,
  type ResolvedConnectionOptions,
} from '../rpc/connection-options.js';
import { type OptionTable, resolveOptions, timerMillis } from '../rpc/option-table.js';

/** What a {@link RemotingClient} can be given (upstream: `NettyClientConfig`). `asyncPermits` and `onewayPermits` are 65,535 by default. */
export interface RemotingClientOptions extends ConnectionOptions {
  /** How long a call may take, dial included, when it does not say; default 3,000. */
  readonly timeoutMillis?: number | undefined;
  /** How long a dial may take; default 3,000 [connectTimeoutMillis]. */
  readonly connectTimeoutMillis?: number | undefined;
  /** Whether a call that got no answer in time closes its connection, which may be half dead; default true [clientCloseSocketIfTimeout]. */
  readonly closeSocketIfTimeout?: boolean | undefined;
}

export type ResolvedRemotingClientOptions = ResolvedConnectionOptions & {
  readonly [Name in Exclude<keyof RemotingClientOptions, keyof ConnectionOptions>]-?: NonNullable<
    RemotingClientOptions[Name]
  >;
};

const table: OptionTable<RemotingClientOptions> = {
  ...connectionOptionTable,
  timeoutMillis: timerMillis(1),
  connectTimeoutMillis: timerMillis(1),
  closeSocketIfTimeout: { kind: 'boolean' },
};

const defaults: ResolvedRemotingClientOptions = {
  ...connectionDefaults,
  timeoutMillis: 3_000,
  connectTimeoutMillis: 3_000,
  closeSocketIfTimeout: true,
  asyncPermits: 65_535,
  onewayPermits: 65_535,
};

export function resolveClientOptions(options: RemotingClientOptions): ResolvedRemotingClientOptions {
  return resolveOptions('RemotingClient', table, defaults, options);
}
