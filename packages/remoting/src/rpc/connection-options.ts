import { constants } from 'node:buffer';
import type { Channel } from '../channel/channel.js';
import { type Clock, systemClock } from '../clock.js';
import { LanguageCode, type LanguageName } from '../command/language-code.js';
import { type Logger, silentLogger } from '../logger.js';
import { type OptionTable, timerMillis } from './option-table.js';

/** What clients and servers can both be given. Names of upstream's configuration in brackets. */
export interface ConnectionOptions {
  /**
   * A connection without a byte either way for so long is closed; default 120,000, 0 never
   * [serverChannelMaxIdleTimeSeconds, clientChannelMaxIdleTimeSeconds].
   */
  readonly allIdleMillis?: number | undefined;
  /**
   * Frames above this are not sent, and close their connection when they come; default 16,777,216, the four length bytes included
   * [com.rocketmq.remoting.frameMaxLength]. Above 512 MiB there is a warning, to the logger or else of the process: a body of that size can be
   * no text, as JSON must be.
   */
  readonly maxFrameBytes?: number | undefined;
  /** Headers above this close their connection; default 262,144. Large things travel in the body. */
  readonly maxHeaderBytes?: number | undefined;
  /** A frame that is not whole so long after its first byte closes its connection; default 60,000, 0 never. */
  readonly frameTimeoutMillis?: number | undefined;
  /** A peer that takes no byte of what waits for it for so long is cut off; default 30,000. */
  readonly stalledWriteMillis?: number | undefined;
  /**
   * MQVersion ordinal stamped on commands that carry none; default 0. Peers read meaning into it: a name server takes the body of a
   * registration with a version below 37 for that of a release before 3.0.11.
   */
  readonly version?: number | undefined;
  /** Stamped on answers, and on requests that carry JAVA; default JAVA, which every peer knows. */
  readonly language?: LanguageName | undefined;
  /** Limit of asynchronous calls in flight [clientAsyncSemaphoreValue, serverAsyncSemaphoreValue]. */
  readonly asyncPermits?: number | undefined;
  /** Limit of oneway calls whose bytes still wait [clientOnewaySemaphoreValue, serverOnewaySemaphoreValue]. */
  readonly onewayPermits?: number | undefined;
  /** Whether calls that are awaited take an asynchronous permit too, as in 5.3.3; default false. */
  readonly limitSyncCalls?: boolean | undefined;
  /**
   * Whether a call for which no permit is left waits for one as long as its timeout lasts, as upstream does; default false: it fails at once
   * with `TOO_MANY_REQUESTS`.
   */
  readonly waitForPermit?: boolean | undefined;
  /**
   * Requests of one connection that wait in a queue or whose processors have not ended; at the limit no more is read from it, so the peer is
   * slowed down and nothing refused. Default 1,024: more than a well-behaved peer has under way, and little memory. A connection whose
   * processors all wait for answers over the same connection would wait for ever at the limit; give such requests a work queue.
   */
  readonly maxInFlightPerChannel?: number | undefined;
  /**
   * Whether the time that a caller still waits is looked at where a request says it ({@link DEADLINE_FIELD}): it is seen by processors, and
   * what expires before its turn is dropped. Default false, which saves a look into the ext fields of every request.
   */
  readonly requestDeadlines?: boolean | undefined;
  /** Called for each new connection once its handlers are in place, to add, replace or remove some. */
  readonly initChannel?: ((channel: Channel) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** Default: nothing is logged, so that a processor that fails is seen in its caller's answer alone. */
  readonly logger?: Logger | undefined;
}

/** With every default in place; `initChannel` does nothing by default. */
export type ResolvedConnectionOptions = {
  readonly [Name in keyof ConnectionOptions]-?: NonNullable<ConnectionOptions[Name]>;
};

const MAX_INT32 = 0x7fffffff;

export const connectionOptionTable: OptionTable<ConnectionOptions> = {
  allIdleMillis: timerMillis(0),
  maxFrameBytes: { kind: 'integer', min: 64, max: MAX_INT32 },
  maxHeaderBytes: { kind: 'integer', min: 64, max: 0xffffff },
  frameTimeoutMillis: timerMillis(0),
  stalledWriteMillis: timerMillis(1),
  version: { kind: 'integer', min: -MAX_INT32 - 1, max: MAX_INT32 },
  language: { kind: 'choice', choices: Object.keys(LanguageCode) },
  asyncPermits: { kind: 'integer', min: 0, max: MAX_INT32 },
  onewayPermits: { kind: 'integer', min: 0, max: MAX_INT32 },
  limitSyncCalls: { kind: 'boolean' },
  waitForPermit: { kind: 'boolean' },
  maxInFlightPerChannel: { kind: 'integer', min: 1, max: MAX_INT32 },
  requestDeadlines: { kind: 'boolean' },
  initChannel: { kind: 'function' },
  clock: { kind: 'object' },
  logger: { kind: 'object' },
};

/** What the engine can hold in one text, less than 512 MiB. */
const MAX_TEXT_BYTES = constants.MAX_STRING_LENGTH;

/** Warns of a limit of frames whose bodies cannot become texts. */
export function warnOfHugeFrames({ maxFrameBytes, logger }: ResolvedConnectionOptions): void {
  if (maxFrameBytes <= MAX_TEXT_BYTES) return;
  const message = `maxFrameBytes of ${maxFrameBytes} lets bodies in that cannot become a text: texts hold ${MAX_TEXT_BYTES} bytes; send large things in chunks`;
  if (logger === silentLogger) process.emitWarning(message, { code: 'RMQNS_HUGE_FRAMES' });
  else logger.warn({ maxFrameBytes }, message);
}

export const connectionDefaults = {
  allIdleMillis: 120_000,
  maxFrameBytes: 16 * 1024 * 1024,
  maxHeaderBytes: 256 * 1024,
  frameTimeoutMillis: 60_000,
  stalledWriteMillis: 30_000,
  version: 0,
  language: 'JAVA',
  limitSyncCalls: false,
  waitForPermit: false,
  maxInFlightPerChannel: 1_024,
  requestDeadlines: false,
  initChannel: () => {},
  clock: systemClock,
  logger: silentLogger,
} as const;
