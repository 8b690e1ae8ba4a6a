import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { readMemory } from '../buffer/read-memory.js';

/** Who takes what a socket read into {@link readMemory}. */
export const reader = Symbol('reader');

/** A socket that reads into {@link readMemory}, once it has a reader; until then it is to be paused. */
export interface ReadingSocket {
  [reader]?: { readLent(byteLength: number): void } | undefined;
}

/** One callback serves all sockets, and finds its own in `this`. */
const onread: OnReadOpts = {
  buffer: readMemory,
  callback(this: ReadingSocket, byteLength: number): boolean {
    this[reader]?.readLent(byteLength);
    return true;
  },
};

/** What Node keeps of the connection; without a public name, but what `child.send(message, socket)` hands on. */
interface HandleOwner {
  _handle?: { readonly useUserBuffer?: unknown } | null;
}

/**
 * A socket that reads into {@link readMemory} instead of one that a `net.Server` has accepted, since Node offers `onread` to those only that
 * connect. The given one is spent. It comes back itself where the connection cannot be taken from it: it is no plain socket, it has read
 * already, or this is no Node.
 */
export function readSocket(accepted: Socket): Socket {
  const owner = accepted as HandleOwner;
  const handle = owner._handle;
  if (typeof handle?.useUserBuffer !== 'function') return accepted;
  if (Object.getPrototypeOf(accepted) !== Socket.prototype || accepted.readableLength > 0) return accepted;
  const options: SocketConstructorOpts & { handle: unknown; onread: OnReadOpts } = {
    handle,
    onread,
    allowHalfOpen: true,
  };
  const socket = new Socket(options);
  // It reads from its first moment. Were it made without, it would begin to after a resume that was taken back at once.
  socket.pause();
  owner._handle = null;
  accepted.destroy();
  return socket;
}
