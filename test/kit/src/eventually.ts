import { setTimeout as pause } from 'node:timers/promises';

/** How long and how often {@link eventually} asks. */
export interface EventuallyOptions {
  /** What is waited for, for the message. */
  readonly what: string;
  readonly timeoutMillis: number;
  /** Default 100. */
  readonly intervalMillis?: number | undefined;
}

/**
 * Asks again and again until `ask` answers something other than `undefined`, and returns that. Only for what tells of itself by no event,
 * such as another process's tables; the last error, if `ask` threw, is the cause of the failure.
 */
export async function eventually<T>(ask: () => Promise<T | undefined>, options: EventuallyOptions): Promise<T> {
  const deadline = performance.now() + options.timeoutMillis;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`not within ${options.timeoutMillis} ms: ${options.what}${why}`, { cause });
    }
    await pause(options.intervalMillis ?? 100);
  }
}
