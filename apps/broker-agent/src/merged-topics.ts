import type { DataVersion } from '@rmqns/protocol';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import {
  conflictingTopics,
  type TopicConfigTable,
  type TopicMerge,
  unionTopicConfigTables,
} from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';

export interface MergedTopicsOptions {
  readonly sources: readonly TopicSource[];
  /** What the table is where there are several sources; default `union`, the earlier winning where two name the same topic. */
  readonly merge?: TopicMerge | undefined;
  /** How long a change waits for those of other sources, where there are several; default 0. */
  readonly debounceMillis?: number | undefined;
  /** Go along with what the sources have; a source's topic of the same name wins. */
  readonly brokerTopics: TopicConfigTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the sources come to: a table, or why they cannot be merged; `undefined`: as before. */
type Merged = { readonly table: TopicConfigTable } | { readonly contradiction: string } | undefined;

/** The one table that several sources of topics make, beside what was registered last as long as one of them is not there. */
export class MergedTopics {
  readonly #options: MergedTopicsOptions;
  /** What was registered last and no source has: it may be from a file that is not there, its directory not being mounted for instance. */
  #kept: TopicConfigTable = new Map();
  #debounce: Timer | undefined;
  #isClosed = false;

  constructor(options: MergedTopicsOptions) {
    this.#options = options;
  }

  /** Names of the sources that have not had a good table yet. */
  get missingSources(): string[] {
    return this.#options.sources.filter(({ current }) => current === undefined).map(({ name }) => name);
  }

  /** The version of the only source that there is: of several none can speak for the whole table. */
  get dataVersion(): DataVersion | undefined {
    const { sources } = this.#options;
    return sources.length === 1 ? sources[0]?.current?.dataVersion : undefined;
  }

  /**
   * Looks at the sources once, all at the same time and for `lookMillis` at most: one that takes longer counts as one without topics until
   * it has some. `onChange` is called when any has other topics, a little later where there are several; who is late is told of at once.
   */
  async start(onChange: () => unknown, lookMillis: number): Promise<void> {
    const { sources, clock, logger } = this.#options;
    let isLate = false;
    const started = sources.map(async (source) => {
      await source.start(() => this.#changedSoon(onChange));
      if (isLate) await onChange();
    });
    await new Promise<void>((resolve, reject) => {
      const goOn = (): void => {
        isLate = true;
        resolve();
      };
      const timer = clock.setTimeout(goOn, lookMillis, true);
      Promise.all(started)
        .then(() => resolve(), reject)
        .finally(() => timer.cancel());
    });
    if (isLate) logger.warn({ sources: this.missingSources }, 'a source takes long, the agent goes on without it');
  }

  /** Where a source is not there, what was registered last and no other has stays. */
  keepFor(registered: TopicConfigTable): void {
    if (this.#absentSources.length === 0) return;
    const { sources, brokerTopics, logger } = this.#options;
    const had = unionTopicConfigTables([...sources.map(({ current }) => current?.table ?? new Map()), brokerTopics]);
    this.#kept = new Map([...registered].filter(([topic]) => !had.has(topic)));
    if (this.#kept.size === 0) return;
    const fields = { sources: this.#absentSources, topics: this.#kept.size };
    logger.warn(fields, 'a source is not there: the topics registered last stay until it is');
  }

  /** What the sources have; `last`, what was registered last, as long as one has nothing yet. */
  current(last: TopicConfigTable | undefined): Merged {
    const { merge = 'union', brokerTopics } = this.#options;
    const consulted = this.#consulted;
    const missing = consulted.some(({ current }) => current === undefined);
    // With `first` the next source stands in only where nothing was registered: what was is the last good table of the earlier one.
    if (missing && (last !== undefined || merge !== 'first' || consulted.at(-1)?.current === undefined))
      return last === undefined ? undefined : { table: last };
    const tables = consulted.map(({ current }) => current?.table ?? new Map());
    const conflicts = merge === 'strict' ? conflictingTopics(tables, 3) : [];
    if (conflicts.length > 0) return { contradiction: `sources contradict each other in ${conflicts.join(', ')}` };
    const kept = this.#absentSources.length > 0 ? [this.#kept] : [];
    return { table: unionTopicConfigTables([...tables, brokerTopics, ...kept]) };
  }

  close(): void {
    this.#isClosed = true;
    this.#debounce?.cancel();
    for (const source of this.#options.sources) source.close();
  }

  /** The sources whose topics count: all, or, with `first`, those up to the first that has a table. */
  get #consulted(): readonly TopicSource[] {
    const { sources, merge = 'union' } = this.#options;
    const first = sources.findIndex(({ current }) => current !== undefined && current.absent !== true);
    return merge === 'first' && first >= 0 ? sources.slice(0, first + 1) : sources;
  }

  get #absentSources(): string[] {
    return this.#consulted.filter(({ current }) => current?.absent === true).map(({ name }) => name);
  }

  /** Changes that come together are one change of the table; a source that never rests keeps none waiting. */
  #changedSoon(onChange: () => unknown): void {
    const { sources, debounceMillis = 0, clock } = this.#options;
    if (sources.length < 2 || debounceMillis === 0) void onChange();
    else if (!this.#isClosed)
      this.#debounce ??= clock.setTimeout(() => {
        this.#debounce = undefined;
        void onChange();
      }, debounceMillis);
  }
}
