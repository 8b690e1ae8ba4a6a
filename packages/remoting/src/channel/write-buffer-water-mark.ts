import { RemotingError } from '../errors.js';

export interface WriteBufferWaterMarkOptions {
  /** Default 32 KiB. */
  readonly lowBytes?: number | undefined;
  /** Default 64 KiB. */
  readonly highBytes?: number | undefined;
}

/**
 * The two bounds of a channel's waiting bytes (upstream: Netty's `WriteBufferWaterMark`): above `highBytes` the channel stops being
 * writable, and only below `lowBytes` it becomes so again. The gap keeps it from flapping with every write.
 */
export class WriteBufferWaterMark {
  readonly lowBytes: number;
  readonly highBytes: number;

  /** @throws RemotingError INVALID_ARGUMENT unless both are integers with `highBytes` >= `lowBytes` >= 1. */
  constructor(options: WriteBufferWaterMarkOptions = {}) {
    const { lowBytes = 32 * 1024, highBytes = 64 * 1024 } = options;
    if (!Number.isSafeInteger(lowBytes) || !Number.isSafeInteger(highBytes) || lowBytes < 1 || highBytes < lowBytes) {
      throw new RemotingError(
        'INVALID_ARGUMENT',
        `water marks must be integers with highBytes >= lowBytes >= 1, not lowBytes ${lowBytes} and highBytes ${highBytes}`,
      );
    }
    this.lowBytes = lowBytes;
    this.highBytes = highBytes;
  }
}
