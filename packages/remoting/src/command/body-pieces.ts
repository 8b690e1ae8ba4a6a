import type { RemotingCommand } from './remoting-command.js';

/** The pieces of those bodies that came in several. */
const piecesOf = new WeakMap<RemotingCommand, readonly Uint8Array[]>();

/**
 * A command's body as it came: a large one in several pieces, else in one; none at all when there is no body. Together they are
 * `command.body`, which costs a copy of all bytes when it is first asked for. For whoever needs to see each byte but once, for instance to
 * make a checksum. The bytes must not be changed.
 */
export function bodyPieces(command: RemotingCommand): readonly Uint8Array[] {
  const pieces = piecesOf.get(command);
  if (pieces !== undefined) return pieces;
  const { body } = command;
  return body === undefined || body === null || body.length === 0 ? [] : [body];
}

/** Gives a command a body of one piece or more that is put together when it is asked for. For codecs. */
export function setBodyPieces(command: RemotingCommand, pieces: readonly Uint8Array[]): void {
  piecesOf.set(command, pieces);
  const become = (body: Uint8Array | undefined): void => {
    piecesOf.delete(command);
    Object.defineProperty(command, 'body', { value: body, writable: true, enumerable: true, configurable: true });
  };
  // On the command itself: accessors of the class would be asked for each small body, too, and vanish from copies and comparisons.
  Object.defineProperty(command, 'body', {
    get(): Uint8Array {
      const body = Buffer.concat(pieces);
      become(body);
      return body;
    },
    set: become,
    enumerable: true,
    configurable: true,
  });
}
