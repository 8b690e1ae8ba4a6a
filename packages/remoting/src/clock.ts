/** Time as an argument: everything that waits or dates takes a Clock, so that tests need no sleep. */

/** A timer that can be taken back. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  cancel(): void;
}

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

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(task, delayMillis, background = false) {
    const timer = setTimeout(task, delayMillis);
    if (background) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  setInterval(task, periodMillis, background = false) {
    const timer = setInterval(task, periodMillis);
    if (background) timer.unref();
    return { cancel: () => clearInterval(timer) };
  },
};
