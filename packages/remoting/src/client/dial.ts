import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { ConnectError } from '../errors.js';
import type { DialTarget } from './dial-target.js';

/** {@link dial}, or what stands in its place. */
export type DialSocket = typeof dial;

/**
 * Opens a TCP connection, or one to a Unix socket. Names are resolved anew each time; of a name with addresses of both families the
 * first that answers is taken, so that a dead family costs a quarter of a second. No socket is left behind, however it ends.
 *
 * @throws RemotingError `CONNECT_FAILED` with the system's reason as cause, or when `timeoutMillis` or `signal` ended it first
 */
export function dial(
  target: DialTarget,
  address: string,
  timeoutMillis: number,
  clock: Clock,
  signal: AbortSignal,
  lookup?: LookupFunction,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { host, port, path } = target;
    const socket = connect(path === undefined ? { host, port, lookup, autoSelectFamily: true } : { path });
    const settle = (error: ConnectError | undefined): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('connect', onConnect);
      socket.removeListener('error', onError);
      // A late error must not reach the process, be the socket given up or not yet in its owner's hands.
      socket.on('error', () => {});
      if (error === undefined) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    };
    const failed = (reason: string, cause?: unknown): void =>
      settle(new ConnectError(`connect to ${address} failed: ${reason}`, { address, cause }));
    const onConnect = (): void => settle(undefined);
    const onError = (error: Error): void => failed(error.message, error);
    const onAbort = (): void => failed('the client was closed');
    const timer = clock.setTimeout(() => failed(`no connection within ${timeoutMillis} ms`), timeoutMillis);
    signal.addEventListener('abort', onAbort);
    socket.once('connect', onConnect);
    socket.once('error', onError);
    if (signal.aborted) onAbort();
  });
}
