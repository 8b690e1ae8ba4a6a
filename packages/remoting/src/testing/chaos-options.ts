import type { Clock } from '../clock.js';

/** What a {@link ChaosSocket} does to the bytes of a connection, both ways alike. Nothing by default. */
export interface ChaosOptions {
  /** Default 1. The same seed and the same bytes give the same chaos. */
  readonly seed?: number | undefined;
  /** Measures the delays. Default the machine's; with a {@link ManualClock} nothing moves until it is advanced. */
  readonly clock?: Clock | undefined;
  /** How long each piece waits after the one before it went: a time, or the least and the most of a random one. */
  readonly delayMillis?: number | readonly [least: number, most: number] | undefined;
  /** Cuts what comes into random pieces of at most so many bytes, each passed on in a turn of its own. */
  readonly splitBytes?: number | undefined;
  /** Keeps what comes for so long, and passes it on as one piece. */
  readonly coalesceMillis?: number | undefined;
  /** How likely a piece vanishes, 0 to 1. Its sender does not notice. */
  readonly dropRate?: number | undefined;
  /** How likely one bit of a piece is turned, 0 to 1. */
  readonly corruptRate?: number | undefined;
  /** How likely the connection is reset instead of passing a piece on, 0 to 1. */
  readonly resetRate?: number | undefined;
  /** Resets the connection when so many bytes, of both directions together, were passed on; in the middle of a piece too. */
  readonly resetAfterBytes?: number | undefined;
  /** Freezes, as {@link ChaosSocket.freeze} does, when so many bytes of both directions were passed on. */
  readonly freezeAfterBytes?: number | undefined;
}
