import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { onStopSignals } from '../src/signals.js';

describe('onStopSignals', () => {
  it('asks to stop at the first signal, and to stop at once at any later one', () => {
    const source = new EventEmitter();
    const calls: string[] = [];
    onStopSignals(
      source,
      (signal) => calls.push(`stop ${signal}`),
      (signal) => calls.push(`stop now ${signal}`),
    );
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT']) source.emit(signal);
    expect(calls).to.deep.equal(['stop SIGINT', 'stop now SIGTERM', 'stop now SIGINT']);
  });
});
