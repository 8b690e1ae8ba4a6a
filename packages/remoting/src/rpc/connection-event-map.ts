import type { EventEmitter } from 'eventemitter3';
import type { Channel } from '../channel/channel.js';
import type { RemotingError } from '../errors.js';
import type { ConnectionListener } from '../handler/connection-events.js';

/** What a client and a server emit about their connections; one connection may have several of `idle`, `exception` and `close`. */
export interface ConnectionEventMap {
  connect: [channel: Channel];
  close: [channel: Channel];
  /** Nothing came or went for `allIdleMillis`; the connection is closed. */
  idle: [channel: Channel];
  /** Bytes that are no frame, or a handler that failed; the connection is closed. */
  exception: [channel: Channel, error: RemotingError];
}

/** A listener of channels that makes an emitter emit what it hears. */
export function emitTo(emitter: EventEmitter<ConnectionEventMap>): ConnectionListener {
  return (event, channel, error) => {
    if (event !== 'exception') emitter.emit(event, channel);
    else if (error !== undefined) emitter.emit(event, channel, error);
  };
}
