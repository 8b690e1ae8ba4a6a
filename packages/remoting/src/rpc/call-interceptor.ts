import type { RemotingCommand } from '../command/remoting-command.js';
import { RemotingError } from '../errors.js';
import type { ResponseFuture } from './response-future.js';

/** A call on its way through the interceptors of the side that makes it. */
export interface ClientCall {
  /** The request code, and what people call it. */
  readonly command: { readonly code: number; readonly name: string };
  /** As the caller wrote it; `undefined` is a name server. */
  readonly address: string | undefined;
  /** A copy of what the caller gave: an interceptor may change its ext fields, remark and body. */
  readonly request: RemotingCommand;
  readonly isOneway: boolean;
  readonly signal: AbortSignal | undefined;
  /** How much of the call's time is left. */
  remainingMillis(): number;
}

/**
 * Runs around each call, the first given outermost, and gives its answer: that of `next()`, another, or what it throws. `next()` sends the request;
 * called again, it sends it again, within what is left of the call's time. The answer to a oneway request is `undefined`.
 */
export type ClientInterceptor = (
  call: ClientCall,
  next: () => Promise<RemotingCommand | undefined>,
) => Promise<RemotingCommand | undefined>;

/** Takes a call through the interceptors, and ends it with what they give. `send` sends the request once. */
export function interceptCall(
  interceptors: readonly ClientInterceptor[],
  future: ResponseFuture,
  signal: AbortSignal | undefined,
  send: (request: RemotingCommand) => Promise<RemotingCommand | undefined>,
): void {
  const request = future.asked.copy();
  const call: ClientCall = {
    command: { code: request.code, name: future.command },
    address: future.address,
    request,
    isOneway: future.isOneway,
    signal,
    remainingMillis: () => future.remainingMillis,
  };
  const run = async (index: number): Promise<RemotingCommand | undefined> => {
    if (future.isSettled) throw new RemotingError('ABORTED', 'the call has ended already', { address: future.address });
    const interceptor = interceptors[index];
    if (interceptor === undefined) return await send(request);
    return await interceptor(call, () => {
      const inner = run(index + 1);
      // Whoever does not wait for it has said that its end does not matter.
      inner.catch(() => {});
      return inner;
    });
  };
  run(0).then(
    (response) => {
      if (response !== undefined || future.isOneway) future.settle(undefined, response);
      else future.fail('HANDLER_FAILED', `an interceptor gave no answer to ${future.command}`);
    },
    (error: unknown) => future.failWith(error, 'HANDLER_FAILED', `an interceptor of ${future.command} failed`),
  );
}
