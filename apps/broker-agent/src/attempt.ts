import type { Clock } from '@rmqns/remoting';

/**
 * Does something that takes a while, for so long at most. Settles at the deadline also where `task` does not heed its signal.
 *
 * @param task gets a signal that aborts at the deadline, and when `given` does
 * @throws what `task` throws; an error that says how long was waited; the reason of `given`
 */
export async function attempt<T>(
  task: (signal: AbortSignal) => Promise<T>,
  timeoutMillis: number,
  clock: Clock,
  given: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  stopped.catch(() => {});
  const timer = clock.setTimeout(
    () => controller.abort(new Error(`no answer within ${timeoutMillis} ms`)),
    timeoutMillis,
  );
  const stop = (): void => controller.abort(given.reason);
  if (given.aborted) stop();
  given.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([stopped, task(controller.signal)]);
  } finally {
    timer.cancel();
    given.removeEventListener('abort', stop);
  }
}
