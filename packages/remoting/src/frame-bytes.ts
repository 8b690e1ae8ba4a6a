import { handleTracing, requestTracing } from './diagnostics.js';

/** Lengths of frames by the command they were or became; only while somebody traces, so that commands need no field for it. */
const frameBytes = new WeakMap<object, number>();

let isWanted = false;

/**
 * Looks whether somebody wants to know. Called for each chunk of bytes and for each trace that begins, not for each frame: two tracing channels
 * are ten channels to ask, which cost a small request a twentieth of all.
 */
export function watchFrameBytes(): void {
  isWanted = requestTracing.hasSubscribers || handleTracing.hasSubscribers;
}

/** Called for each frame: notes its length, the four length bytes included, if somebody wants to know. */
export function noteFrameBytes(command: object, byteLength: number): void {
  if (isWanted) frameBytes.set(command, byteLength);
}

export function frameBytesOf(command: object): number | undefined {
  return frameBytes.get(command);
}
