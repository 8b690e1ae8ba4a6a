import type { Socket } from 'node:net';
import type { SocketAddress } from '../channel/socket-address.js';
import type { Clock } from '../clock.js';
import { ConnectError, textOfThrown } from '../errors.js';
import type { DialSocket } from './dial.js';
import { SocksHandshake } from './socks-handshake.js';
import type { SocksProxies, SocksProxy } from './socks-proxies.js';

/**
 * A dial that goes through the proxy which is set for its target, if one is (reference: remoting 4.7). The time is for the proxy's
 * connection and the handshake together. Failures are `CONNECT_FAILED` and name the target and the proxy, never what the proxy was
 * told to let us in.
 */
export function dialThrough(proxies: SocksProxies, direct: DialSocket): DialSocket {
  return async (target, address, timeoutMillis, clock, signal, lookup) => {
    const proxy = target.host === undefined ? undefined : proxies.find(target.host);
    if (proxy === undefined || target.host === undefined)
      return direct(target, address, timeoutMillis, clock, signal, lookup);
    const deadline = clock.monotonic() + timeoutMillis;
    try {
      const socket = await direct(proxy.target, proxy.address, timeoutMillis, clock, signal);
      await shakeHands(socket, target, proxy, deadline, clock, signal);
      return socket;
    } catch (thrown) {
      const reason = textOfThrown(thrown);
      const message = `connect to ${address} through the SOCKS proxy ${proxy.address} failed: ${reason}`;
      throw new ConnectError(message, { address, cause: thrown });
    }
  };
}

/** Resolves with the socket at the target's first byte, paused; else it is destroyed. */
function shakeHands(
  socket: Socket,
  target: SocketAddress,
  { credentials }: SocksProxy,
  deadline: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const handshake = new SocksHandshake(target, credentials());
    const settle = (error: Error | undefined): void => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
      socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd);
      socket.pause();
      if (error === undefined) {
        if (handshake.rest.length > 0) socket.unshift(handshake.rest);
        resolve();
        return;
      }
      socket.destroy();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        const next = handshake.push(chunk);
        if (next !== undefined) socket.write(next);
        if (handshake.isDone) settle(undefined);
      } catch (error) {
        settle(error as Error);
      }
    };
    const onError = (error: Error): void => settle(error);
    const onEnd = (): void => settle(new Error('it closed the connection before it answered'));
    const onAbort = (): void => settle(new Error('the client was closed'));
    const leftMillis = Math.max(0, deadline - clock.monotonic());
    const timer = clock.setTimeout(() => settle(new Error('it did not answer in time')), leftMillis);
    signal.addEventListener('abort', onAbort);
    socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);
    if (signal.aborted) onAbort();
    else socket.write(handshake.greeting());
  });
}
