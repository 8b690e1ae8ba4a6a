import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopicConfig, TopicConfigSerializeWrapper } from '@rmqns/protocol';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { DataVersionStore } from '../src/data-version-store.js';
import { TopicConfigManager, type TopicConfigManagerOptions } from '../src/topic-config-manager.js';
import type { TopicConfigTable } from '../src/topic-config-table.js';
import type { TopicSource } from '../src/topic-source.js';
import type { SourceTopics } from '../src/topics-json.js';

export const topic = (topicName: string, perm = 6): TopicConfig => ({
  topicName,
  readQueueNums: 4,
  writeQueueNums: 4,
  perm,
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: 0,
  order: false,
});
export const table = (...names: string[]): TopicConfigTable => new Map(names.map((name) => [name, topic(name)]));

/** A source that a test turns. */
export class TurnableSource implements TopicSource {
  readonly name = 'turnable';
  current: SourceTopics | undefined;
  #onChange = (): void => {};

  constructor(current: SourceTopics | undefined) {
    this.current = current;
  }

  async start(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
  }

  turn(current: SourceTopics): void {
    this.current = current;
    this.#onChange();
  }

  close(): void {}
}

/** A fresh directory for the managers of one test, which keep their state in its `state`. */
export class TopicConfigHome implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'rmqns-test-'));
  readonly clock = new ManualClock(1_000);

  manager(sources: readonly TopicSource[], options: Partial<TopicConfigManagerOptions> = {}): TopicConfigManager {
    return new TopicConfigManager({
      sources,
      brokerTopics: new Map(),
      brokerPermission: 6,
      minimum: 0,
      store: new DataVersionStore(join(this.directory, 'state')),
      persist: true,
      clock: this.clock,
      logger: silentLogger,
      ...options,
    });
  }

  /** Publishes what the sources hold, as a process that runs for that long. */
  async publish(
    sources: readonly TopicSource[],
    options: Partial<TopicConfigManagerOptions> = {},
  ): Promise<TopicConfigSerializeWrapper | undefined> {
    const once = this.manager(sources, options);
    await once.start(() => {});
    await once.close();
    return once.published;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}
