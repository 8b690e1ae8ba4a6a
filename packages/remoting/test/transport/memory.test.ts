import { createPair } from '../../src/testing.js';
import { itBehavesAsATransport } from './conformance.js';

describe('a connection in memory (W91)', () => {
  itBehavesAsATransport(async (options) => createPair(options));
});
