import type { Channel } from '../channel/channel.js';
import type { RemotingCommand } from '../command/remoting-command.js';
import { type HandleOutcome, HandleTrace, handleTracing } from '../diagnostics.js';
import { frameBytesOf, watchFrameBytes } from '../frame-bytes.js';

/** The traces of requests whose handling has not ended; only of those that began while there were subscribers. */
const traces = new WeakMap<RemotingCommand, HandleTrace>();
/** How many: while it is 0, the end of a request needs no look at all. */
let open = 0;

/** Lets the subscribers of `rmqns.remoting:handle` see a request; `handle` runs in the async context that one has bound to `start`. */
export function traceRequest(
  channel: Channel,
  request: RemotingCommand,
  name: string | undefined,
  handle: () => void,
): void {
  const { remoteAddress: address, localAddress } = channel;
  const trace = new HandleTrace(request, { name, address, localAddress, requestBytes: frameBytesOf(request) });
  traces.set(request, trace);
  open++;
  watchFrameBytes();
  handleTracing.start.runStores(trace, () => {
    try {
      handle();
    } finally {
      handleTracing.end.publish(trace);
    }
  });
}

/** The processor or a hook failed; the end is told apart. */
export function traceRequestError(request: RemotingCommand, error: unknown): void {
  if (open === 0) return;
  const trace = traces.get(request);
  if (trace !== undefined) trace.error = error;
}

/** The handling of a request ended; told once for each, the first time. */
export function traceRequestEnd(
  request: RemotingCommand,
  outcome: HandleOutcome,
  response: RemotingCommand | undefined,
  error: unknown,
): void {
  if (open === 0) return;
  const trace = traces.get(request);
  if (trace === undefined) return;
  traces.delete(request);
  open--;
  trace.outcome = outcome;
  if (error !== undefined) trace.error = error;
  if (response !== undefined && outcome !== 'writeFailed') {
    trace.responseCode = response.code;
    trace.responseBytes = frameBytesOf(response);
  }
  if (trace.error !== undefined) handleTracing.error.publish(trace);
  handleTracing.asyncStart.publish(trace);
  handleTracing.asyncEnd.publish(trace);
}
