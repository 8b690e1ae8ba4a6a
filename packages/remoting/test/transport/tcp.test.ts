import { startTestServer } from '../../src/testing.js';
import { itBehavesAsATransport } from './conformance.js';

describe('a connection over TCP (W91)', () => {
  itBehavesAsATransport((options) => startTestServer(options));
});
