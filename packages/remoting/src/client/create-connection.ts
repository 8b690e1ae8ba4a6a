import type { ChannelSocket } from '../channel/socket-channel.js';
import { ConnectError, RemotingError, textOfThrown } from '../errors.js';
import type { DialSocket } from './dial.js';

/**
 * Makes a connection by other means than the client's own: in memory, through the pipe of another process, through a tunnel. `address` is the
 * caller's, of the usual form, whatever it means there. The socket may be connecting still. What it throws ends the calls that wait with `CONNECT_FAILED`. `signal` is aborted when
 * the client ends.
 */
export type CreateConnection = (address: string, signal: AbortSignal) => ChannelSocket | Promise<ChannelSocket>;

/** A dial that may give another connection than a socket of the system's. */
export type DialAny = (...dial: Parameters<DialSocket>) => Promise<ChannelSocket>;

/** Dials by a user's {@link CreateConnection}. */
export function dialBy(createConnection: CreateConnection): DialAny {
  return async (_target, address, _timeoutMillis, _clock, signal) => {
    try {
      return await whenConnected(await createConnection(address, signal));
    } catch (thrown) {
      if (RemotingError.is(thrown)) throw thrown;
      const reason = textOfThrown(thrown);
      throw new ConnectError(`connect to ${address} failed: ${reason}`, { address, cause: thrown });
    }
  };
}

/**
 * Resolves with a socket once it has connected, over TLS once it is secure; at once when it has.
 *
 * @throws the socket's error, or one that says that it was closed; it is destroyed then
 */
function whenConnected(socket: ChannelSocket): Promise<ChannelSocket> {
  if (socket.connecting !== true && socket.secureConnecting !== true) return Promise.resolve(socket);
  const connected = socket.encrypted === true ? 'secureConnect' : 'connect';
  return new Promise((resolve, reject) => {
    const settle = (error: Error | undefined): void => {
      socket.off(connected, onConnect).off('error', settle).off('close', onClose);
      // A late error must not reach the process.
      socket.on('error', () => {});
      if (error === undefined) resolve(socket);
      else {
        socket.destroy();
        reject(error);
      }
    };
    const onConnect = (): void => settle(undefined);
    const onClose = (): void => settle(new Error('the socket was closed before it had connected'));
    socket.on(connected, onConnect).on('error', settle).on('close', onClose);
  });
}
