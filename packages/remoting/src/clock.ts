/** Time as an argument: everything that waits or dates takes a Clock, so that tests need no sleep. */

/** A timer that can be taken back. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Delays and periods may be of any length, `Infinity` included, which never comes. A negative delay or one that is no number is 0; such a
 * period, and one below 1, is 1.
 */
export interface Clock {
  /** Milliseconds since 1970 by the machine's wall clock: for timestamps that people or peers see. It can jump. */
  now(): number;
  /** Milliseconds since an arbitrary start, never going back: for timeouts, deadlines and ages. */
  monotonic(): number;
  /** Runs `task` once after `delayMillis`. The timer does not keep the process alive when `background` is true. */
  setTimeout(task: () => void, delayMillis: number, background?: boolean): Timer;
  /** Runs `task` every `periodMillis`, the first time after one period. */
  setInterval(task: () => void, periodMillis: number, background?: boolean): Timer;
}

/** Node's timers count in 31 bits, 24.8 days; longer ones would run at once. */
const MAX_DELAY_MILLIS = 0x7fffffff;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(task, delayMillis, background = false) {
    if (delayMillis > MAX_DELAY_MILLIS) return setLongTimeout(task, delayMillis, background);
    const timer = setTimeout(task, Math.max(0, delayMillis || 0));
    if (background) timer.unref();
    return new NodeTimer(timer);
  },
  setInterval(task, periodMillis, background = false) {
    if (periodMillis > MAX_DELAY_MILLIS) return setLongInterval(task, periodMillis, background);
    const timer = setInterval(task, Math.max(1, periodMillis || 1));
    if (background) timer.unref();
    return new NodeTimer(timer);
  },
};

/** No closure: each call has a timer. */
class NodeTimer implements Timer {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer;
  }

  cancel(): void {
    // Also for one that recurs.
    clearTimeout(this.#timer);
  }
}

function setLongTimeout(task: () => void, delayMillis: number, background: boolean): Timer {
  const leftMillis = delayMillis - MAX_DELAY_MILLIS;
  let timer = systemClock.setTimeout(
    () => {
      timer = systemClock.setTimeout(task, leftMillis, background);
    },
    MAX_DELAY_MILLIS,
    background,
  );
  return { cancel: () => timer.cancel() };
}

function setLongInterval(task: () => void, periodMillis: number, background: boolean): Timer {
  const run = (): void => {
    timer = systemClock.setTimeout(run, periodMillis, background);
    task();
  };
  let timer = systemClock.setTimeout(run, periodMillis, background);
  return { cancel: () => timer.cancel() };
}
