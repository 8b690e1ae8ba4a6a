import type { Clock, Logger } from '@rmqns/remoting';
import { Poller } from './poller.js';
import { ToldProblems } from './told-problems.js';
import { sameTopicConfigTable } from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';
import type { SourceTopics } from './topics-json.js';

/**
 * Asks once for the topics.
 *
 * @returns `undefined`: those of the last time
 * @throws an error with a sentence when there is no good table
 */
export type AskForTopics = (signal: AbortSignal) => Promise<SourceTopics | undefined>;

export interface PolledTopicSourceOptions {
  readonly name: string;
  readonly ask: AskForTopics;
  readonly everyMillis: number;
  /** For one question. */
  readonly timeoutMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What else ends with the source. */
  readonly onClose?: (() => void) | undefined;
}

/** A source that is asked again and again. What is no good table leaves the last good one as it was. */
export class PolledTopicSource implements TopicSource {
  readonly name: string;
  current: SourceTopics | undefined;
  problem: string | undefined;
  errors = 0;
  lastGoodMillis: number | undefined;
  readonly #options: PolledTopicSourceOptions;
  readonly #poller: Poller;
  readonly #told = new ToldProblems();
  #onChange = (): void => {};

  constructor(options: PolledTopicSourceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#poller = new Poller({
      ...options,
      look: async (signal) => {
        const topics = await options.ask(signal);
        if (!signal.aborted) this.#take(topics);
      },
      onError: (problem) => this.#complain(problem),
    });
  }

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
    this.#options.onClose?.();
  }

  #take(topics: SourceTopics | undefined): void {
    const { clock, logger } = this.#options;
    this.lastGoodMillis = clock.monotonic();
    if (this.problem !== undefined) logger.info({ source: this.name }, 'the source gives topics again');
    this.problem = undefined;
    this.#told.clear();
    const before = this.current;
    if (topics === undefined) return;
    this.current = topics;
    if (before === undefined || !sameTopicConfigTable(before.table, topics.table)) this.#onChange();
  }

  #complain(problem: string): void {
    const topics = this.current?.table.size;
    const message =
      topics === undefined ? 'the source gives no topics' : 'the source gives no topics, its last good table stays';
    const fields = { source: this.name, problem, topics };
    this.#options.logger[this.#told.isNews(problem) ? 'warn' : 'debug'](fields, message);
    this.errors += 1;
    this.problem = problem;
  }
}
