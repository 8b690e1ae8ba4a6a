import type { Channel } from '../channel/channel.js';
import type { SocketChannelOptions } from '../channel/socket-channel.js';
import type { Clock } from '../clock.js';
import { DecodeError, DecodeErrorKind, FrameTooLargeError, type RemotingError } from '../errors.js';
import { ConnectionEvents, type ConnectionListener } from '../handler/connection-events.js';
import type { FrameBudget } from '../handler/frame-budget.js';
import { FrameDecoder } from '../handler/frame-decoder.js';
import { FrameEncoder } from '../handler/frame-encoder.js';
import { IdleStateHandler } from '../handler/idle-state-handler.js';
import { ReadBackpressure } from '../handler/read-backpressure.js';
import type { Logger } from '../logger.js';
import { CommandDispatcher } from './command-dispatcher.js';
import type { ResolvedConnectionOptions } from './connection-options.js';
import { debugFrames } from './debug-frames.js';
import type { RemotingCore } from './remoting-core.js';

/** In what the channels of clients and servers differ. */
export interface ChannelRole {
  /** True for an error that is logged already; default none is. */
  readonly isLogged?: ((error: RemotingError) => boolean) | undefined;
  readonly budget?: FrameBudget | undefined;
  /**
   * Whether what the peer sends is dealt with while it takes nothing; default false. True for clients: a server keeps requests back while its
   * answers wait, and the answers are taken by nobody else.
   */
  readonly readsWhileUnwritable?: boolean | undefined;
}

/**
 * Puts the handlers of this protocol into a new channel's pipeline (upstream: Netty's `ChannelInitializer`), in this order from head to tail:
 * `frameDecoder`, `frameEncoder`, `idleState`, `readBackpressure`, `connectionEvents`, `dispatcher`. Each can be replaced by its name
 * (`initChannel`). Those that keep nothing of a connection serve all.
 */
export class ChannelInitializer {
  readonly #core: RemotingCore;
  readonly #options: ResolvedConnectionOptions;
  readonly #role: ChannelRole;
  readonly #frameEncoder: FrameEncoder;
  readonly #connectionEvents: ConnectionEvents;

  constructor(
    core: RemotingCore,
    listener: ConnectionListener,
    options: ResolvedConnectionOptions,
    role: ChannelRole = {},
  ) {
    const { isLogged = () => false } = role;
    this.#core = core;
    this.#options = options;
    this.#role = role;
    this.#frameEncoder = new FrameEncoder({ maxFrameBytes: options.maxFrameBytes });
    this.#connectionEvents = new ConnectionEvents((event, of, error) => {
      if (error !== undefined) {
        if (!isLogged(error)) {
          options.logger.debug(
            { err: error, address: of.remoteAddress },
            `closing the connection of ${of.remoteAddress}: ${error.message}`,
          );
        }
        if (error instanceof FrameTooLargeError) core.counterTable.decodeFailed(DecodeErrorKind.FRAME_TOO_LARGE);
        else if (error instanceof DecodeError) core.counterTable.decodeFailed(error.kind);
        core.calls.failFast(of, error);
      }
      listener(event, of, error);
    });
  }

  initialize(channel: Channel): void {
    const options = this.#options;
    const { maxFrameBytes, maxHeaderBytes, frameTimeoutMillis, allIdleMillis, stalledWriteMillis, clock } = options;
    const { budget, readsWhileUnwritable = false } = this.#role;
    channel.pipeline
      .addLast(
        'frameDecoder',
        new FrameDecoder({
          maxFrameBytes,
          maxHeaderBytes,
          frameTimeoutMillis,
          passesWhileUnwritable: readsWhileUnwritable,
          budget,
          clock,
        }),
      )
      .addLast('frameEncoder', this.#frameEncoder)
      .addLast('idleState', new IdleStateHandler({ allIdleMillis, clock }))
      .addLast(
        'readBackpressure',
        new ReadBackpressure({ stalledWriteMillis, pausesReading: !readsWhileUnwritable, clock }),
      )
      .addLast('connectionEvents', this.#connectionEvents)
      .addLast('dispatcher', new CommandDispatcher(this.#core));
    debugFrames(channel, this.#core.debugNames, maxFrameBytes);
    this.#core.counterTable.connected(channel);
    options.initChannel(channel);
  }
}

/** What a socket's channel reports of itself goes to the logger: what is expected of peers at debug, handlers that fail as errors. */
export function channelOptions(clock: Clock, logger: Logger): SocketChannelOptions {
  return {
    clock,
    onUncaught: (error, channel) => {
      const fields = { err: error, address: channel.remoteAddress };
      if (error.code === 'HANDLER_FAILED') logger.error(fields, error.message);
      else logger.debug(fields, error.message);
    },
    onDebug: (text, channel) => logger.debug({ address: channel.remoteAddress }, text),
  };
}
