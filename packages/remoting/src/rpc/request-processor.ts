import type { Channel } from '../channel/channel.js';
import type { RemotingCommand } from '../command/remoting-command.js';

/** Who asks, and how long for. Requests without a deadline of their own share one object for each connection. */
export interface RequestContext {
  readonly channel: Channel;
  /** Aborted when the connection ends, the server cuts the request off, or the caller's deadline passes: nobody will read the answer. */
  readonly signal: AbortSignal;
  /**
   * How long the caller still waits, where it said so and the option `requestDeadlines` is on; else `Infinity`. A call made for this request should
   * take no longer: see `within` of its options.
   */
  remainingMillis(): number;
}

/** What a processor gives back: an answer, or nothing (then none is sent, for instance because it comes later). */
export type ProcessorResult = RemotingCommand | undefined;

/** Answers requests of one or more codes (upstream: `NettyRequestProcessor`). */
export interface RequestProcessor {
  /**
   * Gives the answer. Its opaque, response bit and release are set by the framework. For a oneway request the answer is dropped.
   * A {@link CommandError} thrown becomes exactly that answer; any other error becomes SYSTEM_ERROR with its name and message, never
   * its stack.
   */
  processRequest(ctx: RequestContext, request: RemotingCommand): ProcessorResult | Promise<ProcessorResult>;
  /** True refuses requests with SYSTEM_BUSY before they are looked at. */
  rejectRequest?(): boolean;
}
