import type { EventEmitter } from 'node:events';

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * SIGTERM and SIGINT: the first asks to stop, any later one to stop at once.
 *
 * @param source the process, as far as this function goes
 */
export function onStopSignals(
  source: Pick<EventEmitter, 'on'>,
  stop: (signal: NodeJS.Signals) => void,
  stopNow: (signal: NodeJS.Signals) => void,
): void {
  let stopping = false;
  for (const signal of stopSignals)
    source.on(signal, () => {
      if (stopping) return stopNow(signal);
      stopping = true;
      stop(signal);
    });
}
