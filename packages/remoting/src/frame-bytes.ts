import { handleTracing, requestTracing } from './diagnostics.js';

/** Lengths of frames by the command they were or became; only while somebody traces, so that commands need no field for it. */
const frameBytes = new WeakMap<object, number>();

/** Called for each frame: notes its length, the four length bytes included, if somebody wants to know. */
export function noteFrameBytes(command: object, byteLength: number): void {
  if (requestTracing.hasSubscribers || handleTracing.hasSubscribers) frameBytes.set(command, byteLength);
}

export function frameBytesOf(command: object): number | undefined {
  return frameBytes.get(command);
}
