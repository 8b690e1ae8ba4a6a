import type { EventEmitter } from 'eventemitter3';
import type { Channel } from '../channel/channel.js';
import type { ConnectFailure } from '../client/channel-table.js';
import type { RemotingError } from '../errors.js';
import type { ConnectionListener } from '../handler/connection-events.js';
import type { Logger } from '../logger.js';
import type { TlsReloadEvent } from '../tls/tls-context-provider.js';

/** What a client and a server emit about their connections; one connection may have several of `idle`, `exception` and `close`. */
export interface ConnectionEventMap {
  connect: [channel: Channel];
  close: [channel: Channel];
  /** Nothing came or went for `allIdleMillis`; the connection is closed. */
  idle: [channel: Channel];
  /** Bytes that are no frame, or a handler that failed; the connection is closed. */
  exception: [channel: Channel, error: RemotingError];
  /** The files of TLS changed and are used for new connections, or cannot be used; told once for each content. */
  tlsReload: [event: TlsReloadEvent];
  /** A client's dial failed: why, for the how-manieth time in a row, and when the next may be made. */
  connectFailed: [failure: ConnectFailure];
}

/** A listener of channels that makes an emitter emit what it hears. */
export function emitTo(emitter: EventEmitter<ConnectionEventMap>): ConnectionListener {
  return (event, channel, error) => {
    if (event !== 'exception') emitter.emit(event, channel);
    else if (error !== undefined) emitter.emit(event, channel, error);
  };
}

/** A listener of TLS's files that makes an emitter emit what it hears, and logs it. */
export function emitReloadTo(
  emitter: EventEmitter<ConnectionEventMap>,
  logger: Logger,
): (event: TlsReloadEvent) => void {
  return (event) => {
    if (event.ok) logger.info({ serialNumber: event.serialNumber }, event.message);
    else logger.warn({}, event.message);
    emitter.emit('tlsReload', event);
  };
}
