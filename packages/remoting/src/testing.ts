export { EmbeddedChannel, type EmbeddedChannelOptions, type EmbeddedHandlers } from './channel/embedded-channel.js';
export { ManualClock } from './manual-clock.js';
