import type { Channel } from '../channel/channel.js';
import { type Clock, systemClock } from '../clock.js';
import type { LanguageName } from '../command/language-code.js';
import type { SerializeType } from '../command/serialize-type.js';
import { type Logger, silentLogger } from '../logger.js';

/** What a {@link RemotingServer} can be given. Names of upstream's `NettyServerConfig` in brackets. */
export interface RemotingServerOptions {
  /** The address to listen on; default `127.0.0.1`, so that nothing is open by accident [bindAddress, there 0.0.0.0]. */
  readonly host?: string;
  /** The port; default 0, any free one [listenPort]. */
  readonly port?: number;
  /** Connections the operating system holds before they are accepted; default 1024 [serverSocketBacklog]. */
  readonly backlog?: number;
  /** A connection without a byte either way for so long is closed; default 120,000, 0 never [serverChannelMaxIdleTimeSeconds]. */
  readonly allIdleMillis?: number;
  /** Frames above this close their connection; default 16,777,216, the four length bytes included [com.rocketmq.remoting.frameMaxLength]. */
  readonly maxFrameBytes?: number;
  /** A peer that takes no byte of what waits for it for so long is cut off; default 30,000. */
  readonly stalledWriteMillis?: number;
  /** MQVersion ordinal in answers; default 0. */
  readonly version?: number;
  /** Default JAVA, which every peer knows. */
  readonly language?: LanguageName;
  /** Header format of answers: that of the request (default), or always the same. */
  readonly responseSerializeType?: 'request' | SerializeType;
  /** Limit of asynchronous calls to clients; default 64 [serverAsyncSemaphoreValue]. */
  readonly asyncPermits?: number;
  /** Limit of oneway calls to clients; default 256 [serverOnewaySemaphoreValue]. */
  readonly onewayPermits?: number;
  /** Called for each new connection once its handlers are in place, to add, replace or remove some. */
  readonly initChannel?: (channel: Channel) => void;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export type ResolvedRemotingServerOptions = Required<Omit<RemotingServerOptions, 'initChannel'>> &
  Pick<RemotingServerOptions, 'initChannel'>;

const defaults: ResolvedRemotingServerOptions = {
  host: '127.0.0.1',
  port: 0,
  backlog: 1024,
  allIdleMillis: 120_000,
  maxFrameBytes: 16 * 1024 * 1024,
  stalledWriteMillis: 30_000,
  version: 0,
  language: 'JAVA',
  responseSerializeType: 'request',
  asyncPermits: 64,
  onewayPermits: 256,
  clock: systemClock,
  logger: silentLogger,
};

export function resolveServerOptions(options: RemotingServerOptions): ResolvedRemotingServerOptions {
  return { ...defaults, ...options };
}
