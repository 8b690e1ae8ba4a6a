export { EmbeddedChannel, type EmbeddedChannelOptions, type EmbeddedHandlers } from './channel/embedded-channel.js';
export { ManualClock } from './manual-clock.js';
export type { ChaosOptions } from './testing/chaos-options.js';
export { type ChaosSocket, chaos } from './testing/chaos-socket.js';
export { expectNoLeaks, LeakError } from './testing/expect-no-leaks.js';
export {
  type ComparedFrame,
  type FrameComparison,
  type FrameField,
  frameDifferences,
} from './testing/frame-differences.js';
export { frameMatchers } from './testing/frame-matchers.js';
export {
  type FrameRecording,
  type RecordedFrame,
  type RecordFramesOptions,
  recordFrames,
} from './testing/frame-recorder.js';
export { createMemorySockets, type MemorySocket, type MemorySocketOptions } from './testing/memory-socket.js';
export { type ReplayOptions, type ReplayResult, replay } from './testing/replay.js';
export {
  type CreatePairOptions,
  createPair,
  startTestServer,
  type TestPair,
  type TestPairOptions,
} from './testing/test-pair.js';
