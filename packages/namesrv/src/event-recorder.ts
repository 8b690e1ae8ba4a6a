import type { NamesrvChange, NamesrvEvent, NamesrvEventListener } from './namesrv-event.js';

/**
 * Numbers the changes of the tables and hands them on.
 *
 * Events wait until the operation that caused them has run to its end, so that a listener never sees half of it; what a listener
 * itself causes comes after the events already waiting. What a listener throws never reaches the operation: it goes to `onFailure`.
 */
export class EventRecorder {
  readonly #onEvent: NamesrvEventListener | undefined;
  readonly #onFailure: (error: unknown, event: NamesrvEvent) => void;
  #revision = 0;
  #depth = 0;
  #waiting: NamesrvEvent[] = [];

  /** @param onFailure gets what the listener threw, and the event; must not throw. By default nobody does. */
  constructor(onEvent?: NamesrvEventListener, onFailure: (error: unknown, event: NamesrvEvent) => void = () => {}) {
    this.#onEvent = onEvent;
    this.#onFailure = onFailure;
  }

  /** Numbers an event and keeps it for the end of the operation; the object becomes the event. */
  record(change: NamesrvChange): void {
    this.#revision += 1;
    if (this.#onEvent === undefined) return;
    // A copy of each would be a fifth of what a large registration costs.
    const event: NamesrvEvent = Object.assign(change, { revision: this.#revision });
    this.#waiting.push(event);
  }

  /** Runs one operation, then delivers its events. */
  run<T>(operation: () => T): T {
    this.#depth += 1;
    try {
      return operation();
    } finally {
      if (this.#depth === 1) this.#deliver();
      this.#depth -= 1;
    }
  }

  #deliver(): void {
    const onEvent = this.#onEvent;
    if (onEvent === undefined) return;
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      for (const event of events) {
        try {
          onEvent(event);
        } catch (error) {
          this.#onFailure(error, event);
        }
      }
    }
  }
}
