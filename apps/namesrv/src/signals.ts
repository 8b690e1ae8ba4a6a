const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** SIGTERM and SIGINT: the first asks to stop, any later one to stop at once. */
export function onStopSignals(stop: (signal: NodeJS.Signals) => void, stopNow: (signal: NodeJS.Signals) => void): void {
  let stopping = false;
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (stopping) stopNow(signal);
      stopping = true;
      stop(signal);
    });
}
