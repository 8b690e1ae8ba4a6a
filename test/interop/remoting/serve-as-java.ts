import { CommandError, RemotingCommand, type RemotingServer, type RequestProcessor } from '@rmqns/remoting';
import { Code } from './java-remoting.js';

/** Registers what `RemotingPeer.java` serves with a server of ours; BLOCK is left to the suite. */
export function serveAsJava(server: RemotingServer): void {
  const process = (code: number, processRequest: RequestProcessor['processRequest']): void => {
    server.registerProcessor(code, { processRequest });
  };
  process(Code.ECHO, (_ctx, request) => echo(request));
  process(Code.FAIL, () => {
    throw new CommandError(17, 'no such topic');
  });
  process(Code.THROW, () => {
    throw new TypeError('boom');
  });
  process(Code.SILENT, () => undefined);
  process(Code.CALL_BACK, async ({ channel }, request) => echo(await server.invokeSync(channel, again(request))));
  process(Code.CALL_BACK_ONEWAY, async ({ channel }, request) => {
    await server.invokeOneway(channel, again(request));
    return echo(request);
  });
  process(Code.WHO, ({ channel }) => RemotingCommand.response(0, channel.remoteAddress));
  server.registerProcessor(Code.REJECT, {
    processRequest: (_ctx, request) => echo(request),
    rejectRequest: () => true,
  });
}

/** An answer with the remark, ext fields and body of a command. */
export function echo({ remark, extFields, body }: RemotingCommand): RemotingCommand {
  return RemotingCommand.response(0, remark, { extFields, body });
}

/** A request to echo the remark, ext fields and body of a command. */
function again({ remark, extFields, body, serializeType }: RemotingCommand): RemotingCommand {
  return RemotingCommand.request(Code.ECHO, { remark, extFields, body, serializeType });
}
