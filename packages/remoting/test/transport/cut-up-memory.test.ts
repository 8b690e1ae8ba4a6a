import { chaos, createPair } from '../../src/testing.js';
import { itBehavesAsATransport } from './conformance.js';

describe('a connection in memory whose bytes come in random pieces', () => {
  itBehavesAsATransport(async (options) =>
    createPair({ ...options, wrapSocket: (socket) => chaos(socket, { seed: 2, splitBytes: 60_000 }) }),
  );
});
