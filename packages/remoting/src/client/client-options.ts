import type { Channel } from '../channel/channel.js';
import { type Clock, systemClock } from '../clock.js';
import type { LanguageName } from '../command/language-code.js';
import { type Logger, silentLogger } from '../logger.js';

/** What a {@link RemotingClient} can be given. Names of upstream's `NettyClientConfig` in brackets. */
export interface RemotingClientOptions {
  /** How long a call may take, dial included, when it does not say; default 3,000. */
  readonly timeoutMillis?: number;
  /** How long a dial may take; default 3,000 [connectTimeoutMillis]. */
  readonly connectTimeoutMillis?: number;
  /** A connection without a byte either way for so long is closed; default 120,000, 0 never [clientChannelMaxIdleTimeSeconds]. */
  readonly allIdleMillis?: number;
  /** Frames above this are not sent, and close their connection when they come; default 16,777,216. */
  readonly maxFrameBytes?: number;
  /** A peer that takes no byte of what waits for it for so long is cut off; default 30,000. */
  readonly stalledWriteMillis?: number;
  /** Whether a call that got no answer in time closes its connection, which may be half dead; default true [clientCloseSocketIfTimeout]. */
  readonly closeSocketIfTimeout?: boolean;
  /** Limit of asynchronous calls; default 65,535 [clientAsyncSemaphoreValue]. */
  readonly asyncPermits?: number;
  /** Limit of oneway calls whose bytes still wait; default 65,535 [clientOnewaySemaphoreValue]. */
  readonly onewayPermits?: number;
  /** MQVersion ordinal in requests; default 0. */
  readonly version?: number;
  /** Default JAVA, which every peer knows. */
  readonly language?: LanguageName;
  /** Called for each new connection once its handlers are in place, to add, replace or remove some. */
  readonly initChannel?: (channel: Channel) => void;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export type ResolvedRemotingClientOptions = Required<Omit<RemotingClientOptions, 'initChannel'>> &
  Pick<RemotingClientOptions, 'initChannel'>;

const defaults: ResolvedRemotingClientOptions = {
  timeoutMillis: 3_000,
  connectTimeoutMillis: 3_000,
  allIdleMillis: 120_000,
  maxFrameBytes: 16 * 1024 * 1024,
  stalledWriteMillis: 30_000,
  closeSocketIfTimeout: true,
  asyncPermits: 65_535,
  onewayPermits: 65_535,
  version: 0,
  language: 'JAVA',
  clock: systemClock,
  logger: silentLogger,
};

export function resolveClientOptions(options: RemotingClientOptions): ResolvedRemotingClientOptions {
  return { ...defaults, ...options };
}
