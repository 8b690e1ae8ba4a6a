import type { ExtFields, RemotingCommand } from '../../src/command/remoting-command.js';

/** All that a command holds as one plain object to compare with: its ext fields are behind an accessor, which a deep equality passes by. */
export function membersOf(command: RemotingCommand): object {
  const { extFields } = command;
  return { ...command, extFields: extFields && ({ ...extFields } satisfies ExtFields) };
}
