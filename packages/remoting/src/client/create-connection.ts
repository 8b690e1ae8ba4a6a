import type { ChannelSocket } from '../channel/socket-channel.js';
import { ConnectError, RemotingError, textOfThrown } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';
import type { DialSocket } from './dial.js';

/**
 * Makes a connection by other means than the client's own: in memory, through the pipe of another process, through a tunnel. `address` is the
 * caller's, of the usual form, whatever it means there. The socket may be connecting still. What it throws ends the calls that wait with `CONNECT_FAILED`. `signal` is aborted when
 * the client ends. After `connectTimeoutMillis` the dial counts as failed; a connection that comes later is destroyed.
 */
export type CreateConnection = (address: string, signal: AbortSignal) => ChannelSocket | Promise<ChannelSocket>;

/** A dial that may give another connection than a socket of the system's. */
export type DialAny = (...dial: Parameters<DialSocket>) => Promise<ChannelSocket>;

/**
 * Dials by a user's {@link CreateConnection}, within the time and the client's life that hold for any dial: one that never ends must not
 * keep its address from being dialled again. What it makes after that is destroyed.
 */
export function dialBy(createConnection: CreateConnection): DialAny {
  return (_target, address, timeoutMillis, clock, signal) =>
    new Promise((resolve, reject) => {
      let isOver = false;
      let made: ChannelSocket | undefined;
      const end = (): void => {
        isOver = true;
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const failed = (thrown: unknown): void => {
        if (isOver) return;
        end();
        if (made !== undefined) discard(made);
        reject(connectError(address, thrown));
      };
      const giveUp = (reason: string): void =>
        failed(new ConnectError(`connect to ${address} failed: ${reason}`, { address }));
      const onAbort = (): void => giveUp('the client was closed');
      const timer = clock.setTimeout(() => giveUp(`no connection within ${timeoutMillis} ms`), timeoutMillis);
      signal.addEventListener('abort', onAbort);
      const connected = async (): Promise<void> => {
        const given = await createConnection(address, signal);
        // For those not written in TypeScript.
        if (typeof (given as ChannelSocket | undefined)?.destroy !== 'function')
          throw new TypeError(`createConnection must give a socket or another Duplex, not ${textOfGiven(given)}`);
        made = given;
        if (isOver) {
          discard(made);
          return;
        }
        await whenConnected(made);
        if (isOver) return;
        end();
        resolve(made);
      };
      connected().catch(failed);
      if (signal.aborted) onAbort();
    });
}

function discard(socket: ChannelSocket): void {
  // A late error must not reach the process.
  socket.on('error', () => {});
  socket.destroy();
}

function connectError(address: string, thrown: unknown): RemotingError {
  if (RemotingError.is(thrown)) return thrown;
  return new ConnectError(`connect to ${address} failed: ${textOfThrown(thrown)}`, { address, cause: thrown });
}

/**
 * Resolves once a socket has connected, over TLS once it is secure; at once when it has.
 *
 * @throws the socket's error, or one that says that it was closed
 */
function whenConnected(socket: ChannelSocket): Promise<void> {
  if (socket.connecting !== true && socket.secureConnecting !== true) return Promise.resolve();
  const connected = socket.encrypted === true ? 'secureConnect' : 'connect';
  return new Promise((resolve, reject) => {
    const settle = (error: Error | undefined): void => {
      socket.off(connected, onConnect).off('error', settle).off('close', onClose);
      // A late error must not reach the process.
      socket.on('error', () => {});
      if (error === undefined) resolve();
      else reject(error);
    };
    const onConnect = (): void => settle(undefined);
    const onClose = (): void => settle(new Error('the socket was closed before it had connected'));
    socket.on(connected, onConnect).on('error', settle).on('close', onClose);
  });
}
