import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';

/**
 * A numeric member of a command that is about to be written.
 *
 * @throws RemotingError `ENCODE_FAILED` when it is no 32-bit integer, which the other side would refuse along with the connection
 */
export function requireInt32(command: RemotingCommand, name: 'code' | 'flag' | 'opaque' | 'version'): number {
  const value = command[name];
  if (value !== (value | 0))
    throw new RemotingError(
      'ENCODE_FAILED',
      `a command's ${name} must be a 32-bit integer, not ${textOfGiven(value)}`,
      {
        opaque: command.opaque,
      },
    );
  // A negative zero prints as 0 too.
  return value;
}

/**
 * The remark or an ext field of a command that is about to be written.
 *
 * @throws RemotingError `ENCODE_FAILED` when it is no string
 */
export function requireText(command: RemotingCommand, name: string, value: unknown): string {
  if (typeof value !== 'string')
    throw new RemotingError('ENCODE_FAILED', `the header field ${name} must be a string, not a ${typeof value}`, {
      opaque: command.opaque,
    });
  return value;
}
