import { type Clock, systemClock, type Timer } from '../clock.js';
import { Fifo } from './fifo.js';
import { MAX_TIMER_MILLIS, type OptionTable, resolveOptions, timerMillis } from './option-table.js';
import { QueueAlarm } from './queue-alarm.js';

export interface WorkQueueOptions {
  /** How many processors run at the same time, counting those that have returned a promise and not ended; default 16. */
  readonly concurrency?: number | undefined;
  /** How many requests wait for their turn; those above are answered with SYSTEM_BUSY. Default 10,000. */
  readonly queueCapacity?: number | undefined;
  /**
   * After how long in one turn of the event loop further requests wait for the next; default 0, never. It keeps requests that are answered at
   * once from holding up those of other queues, and makes their flood one that waits here, within `queueCapacity`.
   */
  readonly turnMillis?: number | undefined;
  /** A request that waits longer is answered with SYSTEM_BUSY and not carried out; default 0, which lets it wait. */
  readonly maxQueueMillis?: number | undefined;
  /** Told when the request that waits longest has waited `alarmMillis`, and when the queue has caught up; must not throw. */
  readonly onLagging?: ((queue: WorkQueue, isLagging: boolean) => void) | undefined;
  /** See {@link onLagging}; default 1,000. */
  readonly alarmMillis?: number | undefined;
  /** Default the machine's. */
  readonly clock?: Clock | undefined;
}

/** A request as a work queue holds it. */
export interface QueuedTask {
  /** Whose task it is, where several share the queue. */
  readonly owner: object;
  /** Carries it out. It ends, now or later, with one call of {@link WorkQueue.end}. */
  run(): void;
  /** It waited `queuedMillis` and will not be run; `size` wait behind it. */
  expire(queuedMillis: number, size: number): void;
  /** It will not be run, and nobody is told. */
  drop(): void;
}

interface Waiting {
  readonly task: QueuedTask;
  readonly sinceMillis: number;
}

const MAX_INT32 = 0x7fffffff;

const table: OptionTable<WorkQueueOptions> = {
  concurrency: { kind: 'integer', min: 1, max: MAX_INT32 },
  queueCapacity: { kind: 'integer', min: 0, max: MAX_INT32 },
  turnMillis: timerMillis(0),
  maxQueueMillis: timerMillis(0),
  onLagging: { kind: 'function' },
  alarmMillis: timerMillis(1),
  clock: { kind: 'object' },
};

const defaults = {
  concurrency: 16,
  queueCapacity: 10_000,
  turnMillis: 0,
  maxQueueMillis: 0,
  alarmMillis: 1_000,
  clock: systemClock,
};

/** Requests that are answered fast share a look at the clock, which costs a tenth of a cheap one; at most so many. */
const REQUESTS_PER_LOOK = 8;

/** Tasks run in one go before other work of the process has its turn. */
const TASKS_PER_TURN = 64;

/**
 * Bounds how many requests of one or more codes are worked on at a time, and how many wait for it (upstream: the executor that is given to
 * `registerProcessor`; reference: remoting 5.4). Codes that share one share its bounds; the overload of one queue blocks no other.
 *
 * Only a processor that returns a promise takes a place for longer than its call, so requests of one that does not never wait, unless
 * `turnMillis` says how long they may go on in one turn.
 */
export class WorkQueue {
  readonly concurrency: number;
  readonly queueCapacity: number;
  readonly turnMillis: number;
  readonly maxQueueMillis: number;
  /** Requests refused because the queue was full, oneway ones included. */
  refused = 0;
  /** Requests that waited longer than `maxQueueMillis`. */
  expired = 0;
  readonly #clock: Clock;
  readonly #waiting = new Fifo<Waiting>();
  #running = 0;
  #draining = false;
  /** When the requests of the present turn have had their time; `undefined` before the first. */
  #turnEndsMillis: number | undefined;
  /** Requests of this turn. */
  #asked = 0;
  /** The one before which the clock is looked at again. */
  #nextLook = 0;
  #timer: Timer | undefined;
  readonly #alarm: QueueAlarm | undefined;

  /** @throws RemotingError `INVALID_ARGUMENT` naming every option that cannot be */
  constructor(options: WorkQueueOptions = {}) {
    const resolved = resolveOptions('WorkQueue', table, defaults, options);
    this.concurrency = resolved.concurrency;
    this.queueCapacity = resolved.queueCapacity;
    this.turnMillis = resolved.turnMillis;
    this.maxQueueMillis = resolved.maxQueueMillis;
    this.#clock = resolved.clock;
    const { onLagging } = options;
    if (onLagging !== undefined)
      this.#alarm = new QueueAlarm(resolved.clock, this, resolved.alarmMillis, (isLagging) =>
        onLagging(this, isLagging),
      );
  }

  /** Requests that are being worked on. */
  get running(): number {
    return this.#running;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** How long the request that waits longest has waited; 0 when none does. The best sign that a server falls behind. */
  get oldestMillis(): number {
    const oldest = this.#waiting.peek();
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.sinceMillis;
  }

  /** Takes a place for a request that may run at once; false when it must wait. */
  tryBegin(): boolean {
    if (this.#running >= this.concurrency || this.#waiting.size > 0 || this.#isTurnOver()) return false;
    this.#running++;
    return true;
  }

  /** Lets a request wait for a place; false when the queue is full. */
  offer(task: QueuedTask): boolean {
    if (this.#waiting.size >= this.queueCapacity) {
      this.refused++;
      return false;
    }
    this.#waiting.push({ task, sinceMillis: this.#clock.monotonic() });
    this.#watch();
    this.#alarm?.watch();
    return true;
  }

  /** Gives a place back. Those that wait follow at once, within the share of one turn. */
  end(): void {
    this.#running--;
    if (!this.#draining && this.#waiting.size > 0) this.#drain();
  }

  /** Drops the waiting tasks of one owner. */
  drop(owner: object): void {
    for (const { task } of this.#waiting.takeIf(({ task }) => task.owner === owner)) task.drop();
    if (this.#waiting.size === 0) this.#unwatch();
  }

  #drain(): void {
    this.#draining = true;
    let left = this.turnMillis > 0 ? Infinity : TASKS_PER_TURN;
    try {
      for (; left > 0 && this.#running < this.concurrency && !this.#isTurnOver(); left--) {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        this.#running++;
        next.task.run();
      }
    } finally {
      this.#draining = false;
    }
    if (this.#waiting.size === 0) this.#unwatch();
    else if (this.#running < this.concurrency && this.turnMillis === 0) {
      // Nothing that runs will call here again.
      this.#draining = true;
      setImmediate(() => this.#drain());
    }
  }

  /** Asked before each request that is to run. */
  #isTurnOver(): boolean {
    if (this.turnMillis === 0) return false;
    if (this.#turnEndsMillis === undefined) {
      this.#turnEndsMillis = this.#clock.monotonic() + this.turnMillis;
      this.#asked = 1;
      this.#nextLook = 1;
      setImmediate(this.#endTurn);
      return false;
    }
    const asked = this.#asked++;
    if (asked < this.#nextLook) return false;
    const leftMillis = this.#turnEndsMillis - this.#clock.monotonic();
    if (leftMillis <= 0) return true;
    // Half of those that would fit if they took as long as those before.
    const fitting = (asked * leftMillis) / (this.turnMillis - leftMillis) / 2;
    this.#nextLook = asked + (fitting >= REQUESTS_PER_LOOK ? REQUESTS_PER_LOOK : Math.max(1, fitting | 0));
    return false;
  }

  readonly #endTurn = (): void => {
    this.#turnEndsMillis = undefined;
    if (this.#waiting.size > 0) this.#drain();
  };

  #unwatch(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #watch(): void {
    if (this.maxQueueMillis === 0 || this.#timer !== undefined) return;
    const delayMillis = Math.min(MAX_TIMER_MILLIS, Math.max(0, this.maxQueueMillis - this.oldestMillis));
    this.#timer = this.#clock.setTimeout(() => this.#expire(), delayMillis, true);
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMillis = this.#clock.monotonic();
    for (let oldest = this.#waiting.peek(); oldest !== undefined; oldest = this.#waiting.peek()) {
      const queuedMillis = nowMillis - oldest.sinceMillis;
      if (queuedMillis < this.maxQueueMillis) break;
      this.#waiting.shift();
      this.expired++;
      oldest.task.expire(queuedMillis, this.#waiting.size);
    }
    if (this.#waiting.size > 0) this.#watch();
  }
}
