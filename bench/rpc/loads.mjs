const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * What is asked of the peers. `shapes` where a load has its own, `needs` the trait it takes, `large` where the limits of frames and messages
 * must be raised.
 */
export const LOADS = {
  'echo-1k': { kind: 'calls', method: 'echo', bytes: KIB, about: 'a body of 1 KiB comes back' },
  'echo-0': { kind: 'calls', method: 'echo', bytes: 0, about: 'an empty body comes back' },
  'echo-64k': { kind: 'calls', method: 'echo', bytes: 64 * KIB, about: 'a body of 64 KiB comes back' },
  'echo-1m': { kind: 'calls', method: 'echo', bytes: MIB, large: true, about: 'a body of 1 MiB comes back' },
  object: {
    kind: 'calls',
    method: 'object',
    about: 'an object of 20 fields is read and written at both ends (typed: as header fields; bytes: as JSON)',
  },
  oneway: {
    kind: 'oneway',
    bytes: KIB,
    needs: 'oneway',
    about: '1 KiB that nobody answers; after each 1,000 one call sees that they came',
  },
  slow: { kind: 'calls', method: 'slow', bytes: KIB, shapes: ['1x1000'], about: 'a handler that takes 10 ms, 1 KiB' },
  mixed: {
    kind: 'mixed',
    bytes: KIB,
    // The most an rsocket frame holds, and what surrounds a body.
    bigBytes: 16 * MIB - 64 * KIB,
    shapes: ['1x8'],
    large: true,
    about: '1 KiB beside one of just under 16 MiB at a time on the same connection; all figures are of the small ones',
  },
  'open-50': {
    kind: 'open',
    method: 'echo',
    share: 0.5,
    bytes: KIB,
    shapes: ['1x64'],
    about:
      '1 KiB at half the rate that the peer reached at this shape, whether answers come or not; latency from when a call was due',
  },
  'open-90': {
    kind: 'open',
    method: 'echo',
    share: 0.9,
    bytes: KIB,
    shapes: ['1x64'],
    about: 'the same at nine tenths of that rate',
  },
  tls: { kind: 'calls', method: 'echo', bytes: KIB, tls: true, needs: 'tls', about: '1 KiB over TLS' },
  churn: { kind: 'churn', bytes: KIB, shapes: ['8x1'], needs: 'churn', about: 'connect, one call of 1 KiB, close' },
  idle: {
    kind: 'idle',
    bytes: 64,
    shapes: ['5000x1'],
    needs: 'idle',
    about: 'connections that made one call and then stay: memory of the server for each',
  },
};

/** `connections x calls in flight on each`. */
export function parseShape(text) {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(text);
  if (match === null || Number(match[1]) < 1 || Number(match[2]) < 1) {
    throw new Error(`a shape is connections x calls in flight, such as 16x8, not '${text}'`);
  }
  return { connections: Number(match[1]), inFlight: Number(match[2]) };
}
