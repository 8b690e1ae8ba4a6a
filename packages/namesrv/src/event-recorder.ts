import type { NamesrvChange, NamesrvEvent, NamesrvEventListener } from './namesrv-event.js';

/**
 * Numbers the changes of the tables and hands them on.
 *
 * Events wait until the operation that caused them has run to its end, so that a listener never sees half of it; what a listener
 * itself causes comes after the events already waiting. A listener must not throw: when it does, the other events are delivered all the
 * same and the tables are right, but the operation seems to its caller to have failed.
 */
export class EventRecorder {
  readonly #onEvent: NamesrvEventListener | undefined;
  #revision = 0;
  #depth = 0;
  #waiting: NamesrvEvent[] = [];

  constructor(onEvent?: NamesrvEventListener) {
    this.#onEvent = onEvent;
  }

  /** The number of events so far. */
  get revision(): number {
    return this.#revision;
  }

  /** Numbers an event and keeps it for the end of the operation. */
  record(change: NamesrvChange): void {
    this.#revision += 1;
    if (this.#onEvent !== undefined) this.#waiting.push({ ...change, revision: this.#revision });
  }

  /** Runs one operation, then delivers its events. */
  run<T>(operation: () => T): T {
    this.#depth += 1;
    try {
      return operation();
    } finally {
      try {
        if (this.#depth === 1) this.#deliver();
      } finally {
        this.#depth -= 1;
      }
    }
  }

  #deliver(): void {
    const onEvent = this.#onEvent;
    if (onEvent === undefined) return;
    const failures: unknown[] = [];
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      for (const event of events) {
        try {
          onEvent(event);
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
