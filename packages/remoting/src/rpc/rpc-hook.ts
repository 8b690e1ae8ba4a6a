import type { RemotingCommand } from '../command/remoting-command.js';

/**
 * Sees every request and answer of a client, and those that come in at a server, in registration order (upstream: `RPCHook`). A server's own
 * calls to its clients pass it by. A hook may change what it gets,
 * for instance add ext fields. One that throws ends the call with its error; after-hooks of that call do not run then.
 */
export interface RpcHook {
  /** Client: before a request is sent. Server: before the processor runs. */
  doBeforeRequest?(remoteAddress: string, request: RemotingCommand): void;
  /** Client: when the answer came. Server: when the processor is done; `response` is undefined when it gave none. */
  doAfterResponse?(remoteAddress: string, request: RemotingCommand, response: RemotingCommand | undefined): void;
}
