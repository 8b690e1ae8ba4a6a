import { textOfGiven } from '../text-of-given.js';
import { signalProblem } from './abort.js';
import type { InvokeOptions } from './typed-call.js';

/**
 * What is wrong with the arguments of a call, if their types are: the compiler sees to them, but not for callers in JavaScript. A call that
 * went on with them would fail later, far from its cause.
 */
export function argumentProblem(
  request: { readonly copy?: unknown } | undefined,
  timeoutMillis: unknown,
  { signal, within }: InvokeOptions,
): string | undefined {
  if (typeof request?.copy !== 'function') return `the request must be a RemotingCommand, not ${textOfGiven(request)}`;
  if (typeof timeoutMillis !== 'number')
    return `timeoutMillis must be a number of milliseconds, not ${textOfGiven(timeoutMillis)}`;
  if (within !== undefined && typeof within?.remainingMillis !== 'function')
    return `within must be the request that a processor or handler was given, not ${textOfGiven(within)}`;
  return signalProblem(signal);
}
