import type { RemotingCommand } from '../command/remoting-command.js';
import { CallPath, type CallPathOptions } from './call-path.js';
import { RequestPath, type RequestPathOptions } from './request-path.js';
import type { RequestContext } from './request-processor.js';
import type { RpcHook } from './rpc-hook.js';

/** What a client or server has counted since it was made. */
export interface RemotingCounters {
  /** Requests that came in, oneway ones included. */
  readonly requests: number;
  /** Answers that matched no waiting call: late, or never asked for. */
  readonly lateResponses: number;
  /** SYSTEM_ERROR answers made because a processor or hook failed. */
  readonly systemErrors: number;
}

/**
 * What client and server share (upstream: `NettyRemotingAbstract`). Bit 0 of a command's flag decides its path: requests go to a
 * processor, responses to the call that waits for them. Both roles accept both, so a server may call its clients.
 */
export class RemotingCore {
  readonly #hooks: RpcHook[] = [];
  readonly requests: RequestPath;
  readonly calls: CallPath;

  constructor(options: RequestPathOptions & CallPathOptions) {
    this.requests = new RequestPath(options, this.#hooks);
    this.calls = new CallPath(options, this.#hooks);
  }

  /** Adds a hook; the same one twice is kept once. */
  registerRpcHook(hook: RpcHook): void {
    if (!this.#hooks.includes(hook)) this.#hooks.push(hook);
  }

  get counters(): RemotingCounters {
    const { requests, systemErrors } = this.requests;
    return { requests, systemErrors, lateResponses: this.calls.lateResponses };
  }

  /** Takes a command that came in on a channel. */
  processMessageReceived(ctx: RequestContext, command: RemotingCommand): void {
    if (command.isResponse) this.calls.processResponse(ctx.channel, command);
    else this.requests.processRequest(ctx, command);
  }
}
