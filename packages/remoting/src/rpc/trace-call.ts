import type { RemotingCommand } from '../command/remoting-command.js';
import { RequestTrace, requestTracing } from '../diagnostics.js';
import type { RemotingError } from '../errors.js';
import { frameBytesOf, watchFrameBytes } from '../frame-bytes.js';
import type { InvokeCallback, ResponseFuture } from './response-future.js';

type CallDescription = ConstructorParameters<typeof RequestTrace>[1];

/** Begins a call; the future is `undefined` when the call has ended already, without having begun. */
export type BeginCall = (
  request: RemotingCommand,
  callback: InvokeCallback,
  begun: (future: ResponseFuture) => void,
) => void;

/**
 * Lets the subscribers of `rmqns.remoting:request` see a call. `begin` runs within `start`, so in the async context that a subscriber has
 * bound to it, and the callback within `asyncStart`. Only for when there are subscribers.
 */
export function traceCall(
  description: CallDescription,
  request: RemotingCommand,
  callback: InvokeCallback,
  begin: BeginCall,
): void {
  const trace = new RequestTrace(request, description);
  watchFrameBytes();
  let future: ResponseFuture | undefined;
  const ended: InvokeCallback = (error, response) => {
    outcome(trace, future, error, response);
    if (error !== undefined) requestTracing.error.publish(trace);
    requestTracing.asyncStart.runStores(trace, () => {
      try {
        callback(error, response);
      } finally {
        requestTracing.asyncEnd.publish(trace);
      }
    });
  };
  requestTracing.start.runStores(trace, () => {
    try {
      begin(RequestTrace.requestOf(trace), ended, (begun) => {
        future = begun;
      });
    } finally {
      requestTracing.end.publish(trace);
    }
  });
}

function outcome(
  trace: RequestTrace,
  future: ResponseFuture | undefined,
  error: RemotingError | undefined,
  response: RemotingCommand | undefined,
): void {
  trace.address = future?.channel?.remoteAddress ?? trace.address;
  trace.opaque = future?.opaque;
  trace.requestBytes = future?.request === undefined ? undefined : frameBytesOf(future.request);
  if (response !== undefined) {
    trace.responseBytes = frameBytesOf(response);
    trace.responseCode = response.code;
  }
  trace.error = error;
  if (error !== undefined) trace.outcome = error.code;
  else trace.outcome = trace.isOneway ? 'sent' : 'answered';
}
