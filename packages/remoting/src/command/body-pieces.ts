import type { RemotingCommand } from './remoting-command.js';

/** Where a command keeps the pieces of its body. A map on the side would cost the collector more than all the rest. */
const PIECES = Symbol('body pieces');

interface Pieced {
  [PIECES]?: readonly Uint8Array[] | undefined;
}

/**
 * A command's body as it came: a large one in several pieces, else in one; none at all when there is no body. Together they are
 * `command.body`, which costs a copy of all bytes when it is first asked for. For whoever needs to see each byte but once, for instance to
 * make a checksum. The bytes must not be changed.
 */
export function bodyPieces(command: RemotingCommand): readonly Uint8Array[] {
  const pieces = (command as Pieced)[PIECES];
  if (pieces !== undefined) return pieces;
  const { body } = command;
  return body === undefined || body === null || body.length === 0 ? [] : [body];
}

/** Gives a command a body of one piece or more that is put together when it is asked for. For codecs. */
export function setBodyPieces(command: RemotingCommand, pieces: readonly Uint8Array[]): void {
  Object.defineProperty(command, PIECES, { value: pieces, writable: true, enumerable: false, configurable: true });
  // On the command itself: an accessor of the class would be asked for each small body, too, and be passed by when commands are compared.
  Object.defineProperty(command, 'body', JOINING);
}

const JOINING = {
  get(this: Pieced): Uint8Array {
    const body = Buffer.concat(this[PIECES] ?? []);
    become(this, body);
    return body;
  },
  set(this: Pieced, body: Uint8Array | undefined): void {
    become(this, body);
  },
  enumerable: true,
  configurable: true,
};

function become(command: Pieced, body: Uint8Array | undefined): void {
  command[PIECES] = undefined;
  Object.defineProperty(command, 'body', { value: body, writable: true, enumerable: true, configurable: true });
}
