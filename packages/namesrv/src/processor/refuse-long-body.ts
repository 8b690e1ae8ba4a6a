import { ResponseCode } from '@rmqns/protocol';
import { bodyPieces, CommandError, type RemotingCommand } from '@rmqns/remoting';

/** Many times what those who send such bodies write; to read 16 MiB takes seconds in which nobody else is served. */
const MAX_BYTES = 128 * 1024;

/**
 * Refuses a request with a body that is read in one go and is longer than 128 KiB.
 *
 * @throws CommandError code 1
 */
export function refuseLongBody(request: RemotingCommand): void {
  // To ask for the body would join what is refused.
  const byteLength = bodyPieces(request).reduce((sum, { length }) => sum + length, 0);
  if (byteLength <= MAX_BYTES) return;
  throw new CommandError(
    ResponseCode.SYSTEM_ERROR,
    `the body has ${byteLength} bytes; more than ${MAX_BYTES} are not taken`,
  );
}
