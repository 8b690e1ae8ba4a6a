import type { TopicsChange } from '@rmqns/namesrv-client';
import type { DataVersion, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { splitCompressible } from './compressible-topics.js';
import { KeptRegistration, type KeptRegistrationOptions } from './kept-registration.js';
import { MergedTopics, type MergedTopicsOptions } from './merged-topics.js';
import { isLastDataVersion, nextDataVersion } from './next-data-version.js';
import type { StateLock } from './state-lock.js';
import { countChanges, orderedTopics, sameTopics, topicsChange, withOrder } from './topic-config-changes.js';
import { sameTopicConfigTable, type TopicConfigTable } from './topic-config-table.js';
import { waitForState } from './wait-for-state.js';

/** Told of another table; `undefined`: of the whole. */
type OnTopicsChange = (change: TopicsChange | undefined) => void;

export interface TopicConfigManagerOptions extends MergedTopicsOptions, KeptRegistrationOptions {
  /** Bits of PermName; what lacks here is taken from every topic as it is sent. */
  readonly brokerPermission: number;
  /** A table of fewer topics is not published. */
  readonly minimum: number;
  /** Whether topics that cannot be registered compressed are left out. Default false. */
  readonly compressed?: boolean | undefined;
  /** Taken before the state directory is used, and never released here. Default none. */
  readonly lock?: StateLock | undefined;
}

/**
 * The node's topics and their data version (upstream: `TopicConfigManager`). The version changes when the table or the broker's permission
 * does and only then, moves forward only, also over restarts, and is on the disk before anybody sees it.
 */
export class TopicConfigManager {
  readonly #options: TopicConfigManagerOptions;
  readonly #topics: MergedTopics;
  readonly #kept: KeptRegistration;
  #published: TopicConfigSerializeWrapper | undefined;
  /** As {@link #published} was or will be sent with. */
  #publishedPermission: number;
  #permission: number;
  #onChange: OnTopicsChange = () => {};
  /** The topics that name servers have an order for, once one said so. */
  #orderTopics: ReadonlySet<string> | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Why what the sources have is not published. */
  #refusal: string | undefined;
  #leftOut = '';
  #stateProblem: string | undefined;
  readonly #closing = new AbortController();

  constructor(options: TopicConfigManagerOptions) {
    this.#options = options;
    this.#topics = new MergedTopics(options);
    this.#kept = new KeptRegistration(options);
    this.#permission = options.brokerPermission;
    this.#publishedPermission = options.brokerPermission;
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
    return this.#kept.problem;
  }

  /** Why what the sources have is not published; `undefined` when it is, or when they have nothing yet. */
  get problem(): string | undefined {
    return this.#refusal;
  }

  /** Names of the sources that have not had a good table yet. */
  get missingSources(): string[] {
    return this.#topics.missingSources;
  }

  /**
   * Loads what was registered last and looks at the sources once, all at the same time and for `lookMillis` at most: one that takes longer
   * counts as one without topics until it has some. `onChange` is called after each later change of {@link published}, with what changed
   * where topics came or changed and nothing else is to be told. With `lookMillis` a state directory that cannot be used is waited for,
   * too: see {@link stateProblem}.
   *
   * @throws StateInUseError; the file system's error when the state directory cannot be used, without `lookMillis`
   */
  async start(onChange: OnTopicsChange, lookMillis?: number): Promise<void> {
    const { store, lock, persist, logger } = this.#options;
    if (persist && lookMillis === undefined) await store.prepare();
    else if (persist && !(await this.#stateReady())) return;
    if (persist && lock !== undefined && !(await lock.acquire(this.#closing.signal))) return;
    if (persist) await store.removeRemains();
    const { wrapper, brokerPermission = this.#permission, problem } = await store.load();
    if (problem !== undefined)
      logger.warn({ file: store.path, problem }, 'cannot read what was registered last; the data version begins anew');
    await this.#topics.start(() => this.#refresh(), lookMillis ?? Number.POSITIVE_INFINITY);
    if (this.missingSources.length > 0 && wrapper !== undefined) {
      const topics = wrapper.topicConfigTable?.size ?? 0;
      logger.warn({ sources: this.missingSources, topics }, 'a source has no topics yet: those registered last go on');
    }
    this.#published = wrapper && (await this.#sendableRegistration(wrapper, brokerPermission));
    const ordered = orderedTopics(this.#published?.topicConfigTable);
    if (ordered.size > 0) this.#orderTopics = ordered;
    this.#topics.keepFor(wrapper?.topicConfigTable ?? new Map());
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

  /**
   * Takes the table of ordered topics from a registration's answer: topics in it are ordered, others are not. A change is a change of the
   * table, with a version of its own, that the next round carries (upstream: `updateOrderTopicConfig` of 4.x; reference: broker
   * registration 2.8). Settles when it is on the disk.
   */
  updateOrderTopicConfig(orderTopics: ReadonlyMap<string, string>): Promise<void> {
    const before = this.#orderTopics ?? orderedTopics(this.#published?.topicConfigTable);
    this.#orderTopics = new Set(orderTopics.keys());
    if (!sameTopics(before, this.#orderTopics)) this.#work = this.#work.then(() => this.#publish(() => {}));
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
    if (this.#kept.isBehind(dataVersion))
      this.#work = this.#work.then(() => this.#kept.save(this.#published ?? published, this.#publishedPermission));
    return dataVersion;
  }

  /** Settles when nothing is being written any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#topics.close();
    await this.#work;
    this.#kept.close();
  }

  #refresh(): Promise<void> {
    this.#work = this.#work.then(() => this.#publish(this.#onChange));
    return this.#work;
  }

  async #publish(onChange: OnTopicsChange): Promise<void> {
    const { minimum, clock, logger } = this.#options;
    if (this.#closing.signal.aborted) return;
    const merged = this.#topics.current(this.#published?.topicConfigTable ?? undefined);
    if (merged === undefined) return;
    if ('contradiction' in merged) {
      this.#refuse(merged.contradiction);
      return;
    }
    const table = this.#sendable(withOrder(merged.table, this.#orderTopics));
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
    const next: TopicConfigSerializeWrapper = {
      dataVersion: nextDataVersion(previous?.dataVersion, this.#topics.dataVersion, clock.now()),
      topicConfigTable: table,
      topicQueueMappingInfoMap: new Map(),
    };
    if (isLastDataVersion(next.dataVersion))
      logger.error(
        { dataVersion: next.dataVersion },
        'the data version cannot be counted on, name servers may keep an old table',
      );
    await this.#kept.save(next, permission);
    this.#published = next;
    const isSamePermission = permission === this.#publishedPermission;
    if (!isSamePermission)
      logger.info({ brokerPermission: permission, topics: table.size }, 'the broker’s permission changed');
    else {
      const changes = countChanges(previous?.topicConfigTable, table);
      logger.info({ topics: table.size, ...changes }, 'the topic table changed');
    }
    this.#publishedPermission = permission;
    onChange(isSamePermission && previous !== undefined ? topicsChange(previous, table) : undefined);
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
    await this.#kept.save(sendable, this.#permission);
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
}
