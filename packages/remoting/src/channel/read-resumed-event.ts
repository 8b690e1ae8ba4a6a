/** User event of every channel: `autoRead` was switched on again. A handler that kept messages back meanwhile goes on. */
export interface ReadResumedEvent {
  readonly type: 'readResumed';
}

export const readResumed: ReadResumedEvent = { type: 'readResumed' };

export function isReadResumedEvent(event: unknown): event is ReadResumedEvent {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'readResumed';
}
