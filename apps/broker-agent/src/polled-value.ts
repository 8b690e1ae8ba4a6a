import type { Clock, Logger } from '@rmqns/remoting';
import { Poller } from './poller.js';
import { ToldProblems } from './told-problems.js';

interface PolledValueOptions<T> {
  /** For log and status: what is asked. */
  readonly name: string;
  /**
   * Asks once.
   *
   * @returns `undefined`: that of the last time
   * @throws an error with a sentence when there is no good value
   */
  readonly ask: (signal: AbortSignal) => Promise<T | undefined>;
  /** Whether a value is no news after the one before. */
  readonly isSame: (before: T, now: T) => boolean;
  readonly everyMillis: number;
  /** For one question. */
  readonly timeoutMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lines: PolledValueLines<T>;
}

/** How the log tells of a value. */
interface PolledValueLines<T> {
  /** A good value came after a problem. */
  readonly again: string;
  /** There is a problem, and nothing was known before; what is known stays is added where something was. */
  readonly none: string;
  readonly stays: string;
  /** What the lines have besides, the last good value given. */
  readonly fields: (name: string, current: T | undefined) => object;
}

/** Something that is asked for again and again. What is no good value leaves the last good one as it was; each kind of problem is told once. */
export class PolledValue<T> {
  readonly name: string;
  /** The last good value; `undefined` as long as there was none. */
  current: T | undefined;
  /** Why the last look was not good; `undefined` when it was. */
  problem: string | undefined;
  /** How many looks were not good. */
  errors = 0;
  /** When the last good look was, by the monotonic clock; `undefined` before it. */
  lastGoodMillis: number | undefined;
  readonly #options: PolledValueOptions<T>;
  readonly #poller: Poller;
  readonly #told = new ToldProblems();
  #onChange = (): void => {};

  constructor(options: PolledValueOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#poller = new Poller({
      ...options,
      look: async (signal) => {
        const value = await options.ask(signal);
        if (!signal.aborted) this.#take(value);
      },
      onError: (problem) => this.#complain(problem),
    });
  }

  /** Settles after the first look, good or not. `onChange` is called whenever {@link current} is another one after that. */
  async start(onChange: () => void): Promise<void> {
    await this.#poller.start();
    this.#onChange = onChange;
  }

  /** Asks now. Settles when the answer is known and told. */
  look(): Promise<void> {
    return this.#poller.look();
  }

  close(): void {
    this.#poller.close();
    this.#onChange = () => {};
  }

  #take(value: T | undefined): void {
    const { clock, logger, lines, isSame } = this.#options;
    const before = this.current;
    this.lastGoodMillis = clock.monotonic();
    if (value !== undefined) this.current = value;
    if (this.problem !== undefined) logger.info(lines.fields(this.name, this.current), lines.again);
    this.problem = undefined;
    this.#told.clear();
    if (value !== undefined && (before === undefined || !isSame(before, value))) this.#onChange();
  }

  #complain(problem: string): void {
    const { logger, lines } = this.#options;
    const fields = { ...lines.fields(this.name, this.current), problem };
    const line = this.current === undefined ? lines.none : lines.stays;
    logger[this.#told.isNews(problem) ? 'warn' : 'debug'](fields, line);
    this.errors += 1;
    this.problem = problem;
  }
}
