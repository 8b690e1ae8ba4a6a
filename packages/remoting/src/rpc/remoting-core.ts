import type { RemotingCommand } from '../command/remoting-command.js';
import type { Logger } from '../logger.js';
import { CallPath, type CallPathOptions } from './call-path.js';
import type { ConnectionContext } from './connection-context.js';
import { type DebugNames, debugNames } from './debug-frames.js';
import { CounterTable, type RemotingCounters } from './remoting-counters.js';
import { RequestPath, type RequestPathOptions } from './request-path.js';
import type { RpcHook } from './rpc-hook.js';

/**
 * What client and server share (upstream: `NettyRemotingAbstract`). Bit 0 of a command's flag decides its path: requests go to a
 * processor, responses to the call that waits for them. Both roles accept both, so a server may call its clients.
 */
export class RemotingCore {
  readonly #hooks: RpcHook[] = [];
  readonly counterTable = new CounterTable();
  readonly requests: RequestPath;
  readonly calls: CallPath;

  readonly logger: Logger;
  /** There only while frames are shown to people. */
  readonly debugNames: DebugNames | undefined;

  /** @param hooksSeeCalls whether hooks see what this side sends too: a client's do, a server's do not (reference: remoting 5.5) */
  constructor(options: RequestPathOptions & CallPathOptions, hooksSeeCalls = true) {
    this.logger = options.logger;
    this.requests = new RequestPath(options, this.counterTable, this.#hooks);
    this.calls = new CallPath(options, this.counterTable, hooksSeeCalls ? this.#hooks : []);
    this.debugNames = debugNames(this.requests.processorTable);
  }

  /** Adds a hook; the same one twice is kept once. */
  registerRpcHook(hook: RpcHook): void {
    if (!this.#hooks.includes(hook)) this.#hooks.push(hook);
  }

  get counters(): RemotingCounters {
    return this.counterTable.snapshot();
  }

  /** Takes a command that came in on a channel. */
  processMessageReceived(connection: ConnectionContext, command: RemotingCommand): void {
    if (command.isResponse) this.calls.processResponse(connection.channel, command);
    else this.requests.processRequest(connection, command);
  }
}
