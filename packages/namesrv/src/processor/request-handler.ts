import type { Channel, RemotingCommand } from '@rmqns/remoting';
import type { NamesrvContext } from './namesrv-context.js';

/** Answers the requests of one code. What it throws becomes code 1 with the error's message, and must have left no trace. */
export type RequestHandler = (
  context: NamesrvContext,
  request: RemotingCommand,
  channel: Channel,
) => RemotingCommand | Promise<RemotingCommand>;
