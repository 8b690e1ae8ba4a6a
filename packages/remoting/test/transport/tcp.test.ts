import { startTestServer } from '../../src/testing.js';
import { itBehavesAsATransport } from './conformance.js';

describe('a connection over TCP', () => {
  itBehavesAsATransport((options) => startTestServer(options));
});
