import type { Clock, Timer } from '../clock.js';

/** A timer that runs later than this shows that the process stood still; a loop that is merely busy stays below. */
const LATE_MILLIS = 20;
/** Enough for what the operating system holds to be read, and for a peer to send again what was lost meanwhile. */
const GRACE_MILLIS = 100;

/**
 * A background timer for a judgement about the peer, such as that it is silent. When this process itself stood still past the timer's time,
 * the peer's bytes may have arrived and not been read, since timers run before sockets are read. `task` then runs a little later, once,
 * after the sockets had their turn; it must look at what it judges only when it runs.
 */
export function setPatientTimeout(clock: Clock, task: () => void, delayMillis: number): Timer {
  const due = clock.monotonic() + delayMillis;
  let timer = clock.setTimeout(
    () => {
      if (clock.monotonic() - due <= LATE_MILLIS) task();
      else timer = clock.setTimeout(task, GRACE_MILLIS, true);
    },
    delayMillis,
    true,
  );
  return { cancel: () => timer.cancel() };
}
