import type { TopicsChange } from '@rmqns/namesrv-client';
import type { DataVersion, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import type { Clock, Logger, Timer } from '@rmqns/remoting';
import { toLong } from '@rmqns/remoting/json';
import { splitCompressible } from './compressible-topics.js';
import type { DataVersionStore } from './data-version-store.js';
import { isLastDataVersion, nextDataVersion } from './next-data-version.js';
import { RegistrationKeeper } from './registration-keeper.js';
import {
  conflictingTopics,
  sameTopicConfig,
  sameTopicConfigTable,
  type TopicConfigTable,
  type TopicMerge,
  unionTopicConfigTables,
} from './topic-config-table.js';
import type { TopicSource } from './topic-source.js';
import { waitForState } from './wait-for-state.js';

/** How far ahead the counter on the disk is where versions come quickly. */
const RESERVED = 1_000n;

/** Told of another table; `undefined`: of the whole. */
type OnTopicsChange = (change: TopicsChange | undefined) => void;

export interface TopicConfigManagerOptions {
  readonly sources: readonly TopicSource[];
  /** What the table is where there are several sources; default `union`, the earlier winning where two name the same topic. */
  readonly merge?: TopicMerge | undefined;
  /** How long a change waits for those of other sources, where there are several; default 0. */
  readonly debounceMillis?: number | undefined;
  /** Go along with what the sources have; a source's topic of the same name wins. */
  readonly brokerTopics: TopicConfigTable;
  /** Bits of PermName; what lacks here is taken from every topic as it is sent. */
  readonly brokerPermission: number;
  /** A table of fewer topics is not published. */
  readonly minimum: number;
  readonly store: DataVersionStore;
  /** Whether topics that cannot be registered compressed are left out. Default false. */
  readonly compressed?: boolean | undefined;
  /** Whether the table is sent in parts, each with a version of its own. Default false. */
  readonly split?: boolean | undefined;
  /** False: the store is read and never written. */
  readonly persist: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The node's topics and their data version (upstream: `TopicConfigManager`). The version changes when the table or the broker's permission
 * does and only then, moves forward only, also over restarts, and is on the disk before anybody sees it.
 */
export class TopicConfigManager {
  readonly #options: TopicConfigManagerOptions;
  #published: TopicConfigSerializeWrapper | undefined;
  /** As {@link #published} was or will be sent with. */
  #publishedPermission: number;
  #permission: number;
  /** What was registered last and no source has: it may be from a file that is not there, its directory not being mounted for instance. */
  #kept: TopicConfigTable = new Map();
  #onChange: OnTopicsChange = () => {};
  /** The topics that name servers have an order for, once one said so. */
  #orderTopics: ReadonlySet<string> | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Why what the sources have is not published. */
  #refusal: string | undefined;
  /** The counter on the disk. */
  #reserved = 0n;
  #leftOut = '';
  #debounce: Timer | undefined;
  #stateProblem: string | undefined;
  readonly #closing = new AbortController();
  readonly #keeper: RegistrationKeeper;

  constructor(options: TopicConfigManagerOptions) {
    this.#options = options;
    this.#permission = options.brokerPermission;
    this.#publishedPermission = options.brokerPermission;
    this.#keeper = new RegistrationKeeper(options);
  }

  /** What to register, under {@link brokerPermission}; `undefined` as long as there was no good table. */
  get published(): TopicConfigSerializeWrapper | undefined {
    return this.#published;
  }

  /** The broker's permission that the data version of {@link published} stands for, too. */
  get brokerPermission(): number {
    return this.#publishedPermission;
  }

  /** Why the state directory cannot be used yet, which is waited for. */
  get stateProblem(): string | undefined {
    return this.#stateProblem;
  }

  /** Why what was registered last is not on the disk. */
  get keepProblem(): string | undefined {
    return this.#keeper.problem;
  }

  /** Why what the sources have is not published; `undefined` when it is, or when they have nothing yet. */
  get problem(): string | undefined {
    return this.#refusal;
  }

  /** Names of the sources that have not had a good table yet. */
  get missingSources(): string[] {
    return this.#options.sources.filter(({ current }) => current === undefined).map(({ name }) => name);
  }

  /**
   * Loads what was registered last and looks at the sources once, all at the same time and for `lookMillis` at most: one that takes longer
   * counts as one without topics until it has some. `onChange` is called after each later change of {@link published}, with what changed
   * where topics came or changed and nothing else is to be told. With `lookMillis` a state directory that cannot be used is waited for,
   * too: see {@link stateProblem}.
   *
   * @throws the file system's error when the state directory cannot be used, without `lookMillis`
   */
  async start(onChange: OnTopicsChange, lookMillis?: number): Promise<void> {
    const { store, persist, logger } = this.#options;
    if (persist && lookMillis === undefined) await store.prepare();
    else if (persist && !(await this.#stateReady())) return;
    const { wrapper, brokerPermission = this.#permission, problem } = await store.load();
    if (problem !== undefined)
      logger.warn({ file: store.path, problem }, 'cannot read what was registered last; the data version begins anew');
    await this.#startSources(lookMillis ?? Number.POSITIVE_INFINITY);
    if (this.missingSources.length > 0 && wrapper !== undefined) {
      const topics = wrapper.topicConfigTable?.size ?? 0;
      logger.warn({ sources: this.missingSources, topics }, 'a source has no topics yet: those registered last go on');
    }
    this.#published = wrapper && (await this.#sendableRegistration(wrapper, brokerPermission));
    const ordered = orderedTopics(this.#published?.topicConfigTable);
    if (ordered.size > 0) this.#orderTopics = ordered;
    if (this.#absentSources.length > 0) this.#keep(wrapper?.topicConfigTable ?? new Map());
    await this.#refresh();
    this.#onChange = onChange;
  }

  #stateReady(): Promise<boolean> {
    const { signal } = this.#closing;
    const onWait = (problem: string | undefined): void => {
      this.#stateProblem = problem;
    };
    return waitForState({ ...this.#options, onWait, signal });
  }

  async #startSources(lookMillis: number): Promise<void> {
    const { sources, clock, logger } = this.#options;
    let isLate = false;
    const started = sources.map(async (source) => {
      await source.start(() => this.#refreshSoon());
      if (isLate) await this.#refresh();
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

  get #absentSources(): string[] {
    return this.#consulted.filter(({ current }) => current?.absent === true).map(({ name }) => name);
  }

  #keep(registered: TopicConfigTable): void {
    const { sources, brokerTopics, logger } = this.#options;
    const had = unionTopicConfigTables([...sources.map(({ current }) => current?.table ?? new Map()), brokerTopics]);
    this.#kept = new Map([...registered].filter(([topic]) => !had.has(topic)));
    if (this.#kept.size === 0) return;
    const fields = { sources: this.#absentSources, topics: this.#kept.size };
    logger.warn(fields, 'a source is not there: the topics registered last stay until it is');
  }

  /**
   * Takes the table of ordered topics from a registration's answer: topics in it are ordered, others are not. A change is a change of the
   * table, with a version of its own, that the next round carries (upstream: `updateOrderTopicConfig` of 4.x; reference: broker
   * registration 2.8). Settles when it is on the disk.
   */
  updateOrderTopicConfig(orderTopics: ReadonlyMap<string, string>): Promise<void> {
    const before = this.#orderTopics ?? orderedTopics(this.#published?.topicConfigTable);
    this.#orderTopics = new Set(orderTopics.keys());
    if (!sameSet(before, this.#orderTopics)) this.#work = this.#work.then(() => this.#publish(() => {}));
    return this.#work;
  }

  /**
   * The broker may do other things than before. Name servers look at permissions only when the data version is another one, so this is
   * one, too, and `onChange` is called. Settles when it is on the disk.
   */
  updateBrokerPermission(brokerPermission: number): Promise<void> {
    this.#permission = brokerPermission;
    return this.#refresh();
  }

  /**
   * Moves the version on while the table stays, for a part of it. What is on the disk is so far ahead that no version comes again after a
   * restart.
   */
  nextDataVersion(): DataVersion {
    const published = this.#published;
    if (published === undefined) throw new Error('there is no topic table yet');
    const dataVersion = nextDataVersion(published.dataVersion, undefined, this.#options.clock.now());
    this.#published = { ...published, dataVersion };
    if (BigInt(dataVersion.counter ?? 0) + RESERVED / 2n > this.#reserved)
      this.#work = this.#work.then(() => this.#save(this.#published ?? published, this.#publishedPermission));
    return dataVersion;
  }

  /** Settles when nothing is being written any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#debounce?.cancel();
    for (const source of this.#options.sources) source.close();
    await this.#work;
    this.#keeper.close();
  }

  /** Changes that come together are one change of the table; a source that never rests keeps none waiting. */
  #refreshSoon(): void {
    const { sources, debounceMillis = 0, clock } = this.#options;
    if (sources.length < 2 || debounceMillis === 0) void this.#refresh();
    else if (!this.#closing.signal.aborted)
      this.#debounce ??= clock.setTimeout(() => {
        this.#debounce = undefined;
        void this.#refresh();
      }, debounceMillis);
  }

  #refresh(): Promise<void> {
    this.#work = this.#work.then(() => this.#publish(this.#onChange));
    return this.#work;
  }

  async #publish(onChange: OnTopicsChange): Promise<void> {
    const { sources, minimum, clock, logger } = this.#options;
    const topics = this.#closing.signal.aborted ? undefined : this.#currentTopics();
    if (topics === undefined) return;
    const table = this.#sendable(withOrder(topics, this.#orderTopics));
    const refusal = `${table.size} topics are fewer than topics.minimum, ${minimum}`;
    if (this.#refuse(table.size < minimum ? refusal : undefined)) return;
    const previous = this.#published;
    const permission = this.#permission;
    if (
      permission === this.#publishedPermission &&
      previous?.topicConfigTable != null &&
      sameTopicConfigTable(previous.topicConfigTable, table)
    )
      return;
    // Of several sources none can speak for the whole table.
    const version = sources.length === 1 ? sources[0]?.current?.dataVersion : undefined;
    const next: TopicConfigSerializeWrapper = {
      dataVersion: nextDataVersion(previous?.dataVersion, version, clock.now()),
      topicConfigTable: table,
      topicQueueMappingInfoMap: new Map(),
    };
    if (isLastDataVersion(next.dataVersion))
      logger.error(
        { dataVersion: next.dataVersion },
        'the data version cannot be counted on, name servers may keep an old table',
      );
    await this.#save(next, permission);
    this.#published = next;
    const isSamePermission = permission === this.#publishedPermission;
    if (!isSamePermission)
      logger.info({ brokerPermission: permission, topics: table.size }, 'the broker’s permission changed');
    else {
      const changes = describeChange(previous?.topicConfigTable, table);
      logger.info({ topics: table.size, ...changes }, 'the topic table changed');
    }
    this.#publishedPermission = permission;
    onChange(isSamePermission && previous !== undefined ? topicsChange(previous, table) : undefined);
  }

  /** The sources whose topics count: all, or, with `first`, those up to the first that has a table. */
  get #consulted(): readonly TopicSource[] {
    const { sources, merge = 'union' } = this.#options;
    const first = sources.findIndex(({ current }) => current !== undefined && current.absent !== true);
    return merge === 'first' && first >= 0 ? sources.slice(0, first + 1) : sources;
  }

  /** What the sources have, or what was registered last as long as one has nothing yet; `undefined` where they cannot be merged. */
  #currentTopics(): TopicConfigTable | undefined {
    const { merge = 'union', brokerTopics } = this.#options;
    const consulted = this.#consulted;
    const missing = consulted.some(({ current }) => current === undefined);
    const last = this.#published?.topicConfigTable ?? undefined;
    // With `first` the next source stands in only where nothing was registered: what was is the last good table of the earlier one.
    if (missing && (last !== undefined || merge !== 'first' || consulted.at(-1)?.current === undefined)) return last;
    const tables = consulted.map(({ current }) => current?.table ?? new Map());
    const conflicts = merge === 'strict' ? conflictingTopics(tables, 3) : [];
    if (conflicts.length > 0) {
      this.#refuse(`sources contradict each other in ${conflicts.join(', ')}`);
      return undefined;
    }
    const kept = this.#absentSources.length > 0 ? [this.#kept] : [];
    return unionTopicConfigTables([...tables, brokerTopics, ...kept]);
  }

  /** The topics registered last, maybe uncompressed or under another permission, in a form that can be sent now. */
  async #sendableRegistration(
    registered: TopicConfigSerializeWrapper,
    brokerPermission: number,
  ): Promise<TopicConfigSerializeWrapper> {
    const before = registered.topicConfigTable ?? new Map();
    const topicConfigTable = this.#sendable(before);
    if (topicConfigTable.size === before.size && brokerPermission === this.#permission) return registered;
    const dataVersion = nextDataVersion(registered.dataVersion, undefined, this.#options.clock.now());
    const sendable = { ...registered, dataVersion, topicConfigTable };
    await this.#save(sendable, this.#permission);
    return sendable;
  }

  #sendable(table: TopicConfigTable): TopicConfigTable {
    const { compressed = false, logger } = this.#options;
    if (!compressed) return table;
    const { compressible, others } = splitCompressible(table);
    const leftOut = JSON.stringify(others);
    if (others.length > 0 && leftOut !== this.#leftOut)
      logger.warn(
        { topics: others },
        'topics that cannot be registered compressed are left out: no broker accepts them',
      );
    this.#leftOut = leftOut;
    return compressible;
  }

  #refuse(refusal: string | undefined): boolean {
    const { logger } = this.#options;
    if (refusal !== undefined && refusal !== this.#refusal)
      logger.warn({ problem: refusal }, 'the topic table is not published, the last one stays');
    this.#refusal = refusal;
    return refusal !== undefined;
  }

  async #save(wrapper: TopicConfigSerializeWrapper, brokerPermission: number): Promise<void> {
    const { persist, split = false } = this.#options;
    const { dataVersion } = wrapper;
    this.#reserved = BigInt(dataVersion.counter ?? 0) + (split ? RESERVED : 0n);
    if (!persist) return;
    const counter = toLong(this.#reserved) ?? dataVersion.counter;
    await this.#keeper.keep({ ...wrapper, dataVersion: { ...dataVersion, counter } }, brokerPermission);
  }
}

function orderedTopics(table: TopicConfigTable | null | undefined): ReadonlySet<string> {
  return new Set([...(table ?? [])].filter(([, { order }]) => order).map(([topic]) => topic));
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}

/** The table with the order flags that name servers gave; as it is where none did. */
function withOrder(table: TopicConfigTable, orderTopics: ReadonlySet<string> | undefined): TopicConfigTable {
  if (orderTopics === undefined) return table;
  return new Map([...table].map(([topic, config]) => [topic, { ...config, order: orderTopics.has(topic) }]));
}

function topicsChange(previous: TopicConfigSerializeWrapper, table: TopicConfigTable): TopicsChange | undefined {
  const before: TopicConfigTable = previous.topicConfigTable ?? new Map();
  const topics = [...table]
    .filter(([topic, config]) => {
      const was = before.get(topic);
      return was === undefined || !sameTopicConfig(was, config);
    })
    .map(([topic]) => topic);
  return topics.length === 0 ? undefined : { since: previous.dataVersion, topics };
}

function describeChange(before: TopicConfigTable | null | undefined, after: TopicConfigTable) {
  const added = [...after.keys()].filter((topic) => before?.has(topic) !== true).length;
  const removed = [...(before?.keys() ?? [])].filter((topic) => !after.has(topic)).length;
  const changed = [...(before ?? [])].filter(([topic, config]) => {
    const now = after.get(topic);
    return now !== undefined && !sameTopicConfig(config, now);
  }).length;
  return { added, removed, changed };
}
