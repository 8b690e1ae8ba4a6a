import { RemotingError } from '../errors.js';
import { textOfGiven } from '../text-of-given.js';

/** What is wrong with a signal whose type is none, for callers not written in TypeScript. */
export function signalProblem(signal: unknown): string | undefined {
  if (signal === undefined || typeof (signal as Partial<AbortSignal> | null)?.addEventListener === 'function')
    return undefined;
  return `signal must be an AbortSignal, such as that of an AbortController, not ${textOfGiven(signal)}`;
}

/** @throws RemotingError `INVALID_ARGUMENT` for what is no signal */
export function checkSignal(signal: AbortSignal | undefined): void {
  const problem = signalProblem(signal);
  if (problem !== undefined) throw new RemotingError('INVALID_ARGUMENT', problem);
}

/**
 * Runs a task when the signal aborts, at once when it has, and not any more once `work` has settled.
 */
export function whenAborted(signal: AbortSignal, work: Promise<unknown>, task: () => void): void {
  if (signal.aborted) {
    task();
    return;
  }
  signal.addEventListener('abort', task, { once: true });
  const forget = (): void => signal.removeEventListener('abort', task);
  work.then(forget, forget);
}

/**
 * Does what may take long, and waits for it no longer than the signal lasts.
 *
 * @param work not begun when the signal has aborted already
 * @param what for the error's text: what was aborted
 * @throws RemotingError `ABORTED` with the signal's reason as cause; `INVALID_ARGUMENT` for what is no signal
 */
export async function abortable<T>(signal: AbortSignal, what: string, work: () => Promise<T>): Promise<T> {
  checkSignal(signal);
  const aborted = (): RemotingError =>
    new RemotingError('ABORTED', `${what} was aborted by its signal`, { cause: signal.reason });
  if (signal.aborted) throw aborted();
  return await new Promise((resolve, reject) => {
    const working = work();
    working.then(resolve, reject);
    whenAborted(signal, working, () => reject(aborted()));
  });
}
