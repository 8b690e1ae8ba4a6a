import { constants, fstatSync, openSync, write } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';

/** Writes one chunk and says when it is written or lost. The next chunk comes only after that. */
export type WriteChunk = (chunk: Buffer, done: (error: Error | null | undefined) => void) => void;

/** How long a terminal that takes nothing is left alone. */
const RETRY_MILLIS = 50;

/**
 * Writes to a file descriptor of this process in such a way that a reader who takes nothing holds up neither the event loop nor the end of
 * the process. A write that blocks would: on the main thread at once, and in the thread pool as soon as `process.exit` waits for its
 * threads, so that not even a signal ends the process. Hence pipes and sockets are written by the event loop, terminals through an
 * opening of their own that does not block, and only what cannot stall (files, `/dev/null`) by the thread pool.
 */
export function openFdWriter(fd: number): WriteChunk {
  const status = fstatSync(fd);
  if (status.isFIFO() || status.isSocket()) return socketWriter(fd);
  const target = isatty(fd) ? reopenTerminal(fd) : fd;
  return (chunk, done) => writeToFile(target, chunk, done);
}

function socketWriter(fd: number): WriteChunk {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The callback of the write hears of it, too.
  socket.on('error', () => {});
  return (chunk, done) => void socket.write(chunk, done);
}

/** Writes a whole chunk by the thread pool, and waits where a terminal takes nothing. */
export function writeToFile(fd: number, chunk: Buffer, done: (error: Error | null) => void): void {
  const writeFrom = (start: number): void =>
    write(fd, chunk, start, (error, writtenBytes) => {
      const next = start + (writtenBytes ?? 0);
      if (error?.code === 'EAGAIN') setTimeout(writeFrom, RETRY_MILLIS, next);
      else if (error !== null) done(error);
      else if (next < chunk.length) writeFrom(next);
      else done(null);
    });
  writeFrom(0);
}

/** Not to block is a property of the opening, and the one that was inherited belongs to the shell as well. */
function reopenTerminal(fd: number): number {
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Another user's terminal, after `su`: it must do as it is.
    return fd;
  }
}
