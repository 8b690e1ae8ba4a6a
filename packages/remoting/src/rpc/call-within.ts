import { setMaxListeners } from 'node:events';
import type { RequestContext } from './request-processor.js';
import type { InvokeCallback } from './response-future.js';
import type { InvokeOptions } from './typed-call.js';

/** A request for which further calls are made, or anything else that has a time and a signal. */
export type CallParent = Pick<RequestContext, 'signal' | 'remainingMillis'>;

/** The time of a call that is made for a request. Where none is left, the request's signal has ended the call before. */
export function timeoutWithin(parent: CallParent, timeoutMillis: number): number {
  return Math.min(timeoutMillis, Math.max(1, parent.remainingMillis()));
}

/**
 * The options and callback of a call that two signals can end. Not `AbortSignal.any`: in some releases of Node what that makes is kept for as
 * long as the signal of the connection lives.
 */
export function signalWithin(
  parent: CallParent,
  options: InvokeOptions,
  callback: InvokeCallback,
): [options: InvokeOptions, callback: InvokeCallback] {
  const { signal: outer } = parent;
  const { signal: own } = options;
  if (own === undefined) return [{ ...options, signal: outer }, callback];
  const both = new AbortController();
  const follow = ({ target }: { readonly target: unknown }): void => both.abort((target as AbortSignal).reason);
  for (const signal of [outer, own]) {
    // Any number of calls may share a signal.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    if (signal.aborted) follow({ target: signal });
    else signal.addEventListener('abort', follow);
  }
  const ended: InvokeCallback = (error, response) => {
    for (const signal of [outer, own]) signal.removeEventListener('abort', follow);
    callback(error, response);
  };
  return [{ ...options, signal: both.signal }, ended];
}
