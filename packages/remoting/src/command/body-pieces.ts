import { givePagesBack } from '../buffer/page-pool.js';
import type { RemotingCommand } from './remoting-command.js';

/** Where a command keeps the pieces of its body. A map on the side would cost the collector more than all the rest. */
const PIECES = Symbol('body pieces');

interface Pieces {
  readonly pieces: readonly Uint8Array[];
  /** Memory that they and the header's fields lie in, and that can be used again. */
  readonly pages: readonly Buffer[];
}

interface Pieced {
  readonly extFields?: unknown;
  [PIECES]?: Pieces | undefined;
}

/**
 * A command's body as it came: a large one in several pieces, else in one; none at all when there is no body. Together they are
 * `command.body`, which costs a copy of all bytes when it is first asked for. For whoever needs to see each byte but once, for instance to
 * make a checksum. The bytes must not be changed, and are good until `body` is asked for or {@link releaseBody} is called.
 */
export function bodyPieces(command: RemotingCommand): readonly Uint8Array[] {
  const kept = (command as Pieced)[PIECES];
  if (kept !== undefined) return kept.pieces;
  const { body } = command;
  return body === undefined || body === null || body.length === 0 ? [] : [body];
}

/**
 * Says that nobody needs this command's body any more, be it whole or in pieces: it has none then. The memory of a large one that came over a
 * socket is used for the next, instead of waiting for the collector (upstream: Netty's `ReferenceCountUtil.release`). To call it is never
 * needed, and to call it twice does no harm.
 */
export function releaseBody(command: RemotingCommand): void {
  if ((command as Pieced)[PIECES] === undefined) command.body = undefined;
  else become(command, undefined);
}

/**
 * Joins the pieces of a body, so many bytes a step and some more, for whoever must not keep others waiting while a large one is copied. Behind the last step
 * `command.body` is there. A body in one piece takes no step.
 */
export function* joinBodyInSteps(
  command: Pick<RemotingCommand, 'body'>,
  stepBytes: number,
): Generator<undefined, void> {
  const pieces = (command as Pieced)[PIECES]?.pieces;
  if (pieces === undefined) return;
  const body = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let pause = stepBytes;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
    if (at < pause || at === body.length) continue;
    yield;
    pause = at + stepBytes;
  }
  // Somebody may have asked for it meanwhile.
  if ((command as Pieced)[PIECES] !== undefined) command.body = body;
}

/**
 * Gives a command a body of one piece or more that is put together when it is asked for. For codecs.
 *
 * @param pages of the pool, given back when nobody needs them any more
 */
export function setBodyPieces(
  command: RemotingCommand,
  pieces: readonly Uint8Array[],
  pages: readonly Buffer[] = [],
): void {
  const kept: Pieces = { pieces, pages };
  Object.defineProperty(command, PIECES, { value: kept, writable: true, enumerable: false, configurable: true });
  // On the command itself: an accessor of the class would be asked for each small body, too, and be passed by when commands are compared.
  Object.defineProperty(command, 'body', JOINING);
}

const JOINING = {
  get(this: Pieced): Uint8Array {
    const body = Buffer.concat(this[PIECES]?.pieces ?? []);
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
  const pages = command[PIECES]?.pages ?? [];
  if (pages.length > 0) {
    // They are read when they are asked for, and from these pages.
    void command.extFields;
    givePagesBack(pages);
  }
  command[PIECES] = undefined;
  Object.defineProperty(command, 'body', { value: body, writable: true, enumerable: true, configurable: true });
}
