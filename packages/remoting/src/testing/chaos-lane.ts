import { type Clock, systemClock, type Timer } from '../clock.js';
import type { ChaosOptions } from './chaos-options.js';
import type { SeededRandom } from './seeded-random.js';

/** What the two lanes of a connection share. */
export interface ChaosLink {
  readonly random: SeededRandom;
  readonly isFrozen: boolean;
  readonly isOver: boolean;
  /** How many of `bytes` may pass before something happens to the connection; {@link passed} makes it happen. */
  allowance(bytes: number): number;
  passed(bytes: number): void;
  reset(): void;
}

interface Waiting {
  /** Undefined for the end of the direction. */
  readonly bytes: Buffer | undefined;
  readonly taken: () => void;
}

/** One direction of a {@link ChaosSocket}: takes chunks, and passes them on in order as the options say. */
export class ChaosLane {
  readonly #options: ChaosOptions;
  readonly #clock: Clock;
  readonly #link: ChaosLink;
  readonly #deliver: (bytes: Buffer, done: () => void) => void;
  readonly #deliverEnd: () => void;
  readonly #waiting: Waiting[] = [];
  /** What is cut and goes next. */
  readonly #pieces: Waiting[] = [];
  #busy = false;
  #timer: Timer | undefined;

  constructor(
    options: ChaosOptions,
    link: ChaosLink,
    deliver: (bytes: Buffer, done: () => void) => void,
    deliverEnd: () => void,
  ) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#link = link;
    this.#deliver = deliver;
    this.#deliverEnd = deliverEnd;
  }

  /** `taken` is called when the last byte was passed on, or dropped. */
  push(bytes: Buffer, taken: () => void): void {
    this.#waiting.push({ bytes, taken });
    this.pump();
  }

  end(taken: () => void): void {
    this.#waiting.push({ bytes: undefined, taken });
    this.pump();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Goes on where it can; after a freeze too. */
  pump(): void {
    if (this.#busy || this.#link.isFrozen || this.#link.isOver) return;
    if (this.#pieces.length > 0) this.#passPiece();
    else if (this.#waiting[0] === undefined) return;
    else if (this.#waiting[0].bytes === undefined) this.#passEnd(this.#waiting.shift());
    else if (this.#options.coalesceMillis === undefined) this.#cut(this.#waiting.splice(0, 1));
    else this.#after(this.#options.coalesceMillis, () => this.#cut(this.#takeAllBytes()));
  }

  #takeAllBytes(): Waiting[] {
    const end = this.#waiting.findIndex(({ bytes }) => bytes === undefined);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  #cut(items: readonly Waiting[]): void {
    const bytes = Buffer.concat(items.map((item) => item.bytes ?? Buffer.alloc(0)));
    const taken = (): void => {
      for (const item of items) item.taken();
    };
    const { splitBytes } = this.#options;
    let at = 0;
    while (at < bytes.length) {
      const length = splitBytes === undefined ? bytes.length : this.#link.random.integer(1, splitBytes);
      const isLast = at + length >= bytes.length;
      this.#pieces.push({ bytes: bytes.subarray(at, at + length), taken: isLast ? taken : () => {} });
      at += length;
    }
    if (bytes.length === 0) taken();
    this.pump();
  }

  #passPiece(): void {
    const { delayMillis, splitBytes } = this.#options;
    const delay = typeof delayMillis === 'object' ? this.#link.random.integer(...delayMillis) : (delayMillis ?? 0);
    if (delay > 0) this.#after(delay, () => this.#passNow());
    else if (splitBytes !== undefined) this.#inNextTurn(() => this.#passNow());
    else this.#passNow();
  }

  #passNow(): void {
    const { dropRate = 0, corruptRate = 0, resetRate = 0 } = this.#options;
    const { random } = this.#link;
    const piece = this.#pieces.shift();
    if (piece?.bytes === undefined) return;
    if (random.chance(resetRate)) {
      this.#link.reset();
      return;
    }
    if (random.chance(dropRate)) {
      piece.taken();
      this.pump();
      return;
    }
    const bytes = random.chance(corruptRate) ? turnOneBit(piece.bytes, random) : piece.bytes;
    const allowed = this.#link.allowance(bytes.length);
    if (allowed < bytes.length) this.#pieces.unshift({ bytes: bytes.subarray(allowed), taken: piece.taken });
    this.#busy = true;
    this.#deliver(bytes.subarray(0, allowed), () => {
      this.#busy = false;
      this.#link.passed(allowed);
      if (allowed === bytes.length) piece.taken();
      this.pump();
    });
  }

  #passEnd(item: Waiting | undefined): void {
    this.#deliverEnd();
    item?.taken();
  }

  #after(millis: number, task: () => void): void {
    this.#busy = true;
    this.#timer = this.#clock.setTimeout(() => this.#resume(task), millis);
  }

  #inNextTurn(task: () => void): void {
    this.#busy = true;
    setImmediate(() => this.#resume(task));
  }

  /** A freeze that came meanwhile makes the task wait for the thaw, and then its time anew. */
  #resume(task: () => void): void {
    this.#busy = false;
    if (!this.#link.isFrozen && !this.#link.isOver) task();
  }
}

function turnOneBit(bytes: Buffer, random: SeededRandom): Buffer {
  const damaged = Buffer.from(bytes);
  const at = random.integer(0, damaged.length - 1);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << random.integer(0, 7));
  return damaged;
}
