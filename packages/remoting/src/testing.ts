export { EmbeddedChannel, type EmbeddedChannelOptions, type EmbeddedHandlers } from './channel/embedded-channel.js';
export { ManualClock } from './manual-clock.js';
export { createMemorySockets, type MemorySocket, type MemorySocketOptions } from './testing/memory-socket.js';
export {
  type CreatePairOptions,
  createPair,
  startTestServer,
  type TestPair,
  type TestPairOptions,
} from './testing/test-pair.js';
