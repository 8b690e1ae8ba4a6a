import { describeFileError } from '@rmqns/program';
import type { Clock, Logger } from '@rmqns/remoting';
import { attempt } from './attempt.js';
import type { DataVersionStore } from './data-version-store.js';

/** Between two tries, and how long one may take before it is told. */
const RETRY_MILLIS = 5_000;

export interface StateWaitOptions {
  readonly store: DataVersionStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is waited for as long as something is, and `undefined` when it is over. */
  readonly onWait: (problem: string | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes the state directory ready for use, and tries again until it can be used: the disk that it is on may come later than the agent.
 *
 * @returns false: the signal came first
 */
export async function waitForState({ store, clock, logger, onWait, signal }: StateWaitOptions): Promise<boolean> {
  let told: string | undefined;
  const tell = (problem: string): void => {
    if (signal.aborted) return;
    onWait(problem);
    if (problem !== told)
      logger.warn(
        { directory: store.directory, problem },
        'nothing is registered yet, waiting for the state directory',
      );
    told = problem;
  };
  while (!signal.aborted) {
    // A dead file system may answer after hours: the same try is waited for, since each takes a thread.
    const tried = store.prepare().then(
      () => true,
      (error: unknown) => {
        tell(describeFileError(error));
        return false;
      },
    );
    const slow = clock.setTimeout(() => tell('the file system does not answer'), RETRY_MILLIS, true);
    const isReady = await attempt(() => tried, Number.POSITIVE_INFINITY, clock, signal).catch(() => false);
    slow.cancel();
    if (isReady) {
      if (told !== undefined) logger.info({ directory: store.directory }, 'the state directory can be used');
      onWait(undefined);
      return true;
    }
    await attempt(() => new Promise(() => {}), RETRY_MILLIS, clock, signal).catch(() => {});
  }
  return false;
}
