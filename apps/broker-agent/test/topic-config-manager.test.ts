import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopicConfig } from '@rmqns/protocol';
import { silentLogger } from '@rmqns/remoting';
import { ManualClock } from '@rmqns/remoting/testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { brokerTopics } from '../src/broker-topics.js';
import { DataVersionStore } from '../src/data-version-store.js';
import { TopicConfigManager, type TopicConfigManagerOptions } from '../src/topic-config-manager.js';
import type { TopicConfigTable } from '../src/topic-config-table.js';
import type { TopicSource } from '../src/topic-source.js';
import type { SourceTopics } from '../src/topics-json.js';
import { TopicsJsonSource } from '../src/topics-json-source.js';
import { topicsJsonText } from './topics-json-text.js';

const topic = (topicName: string, perm = 6): TopicConfig => ({
  topicName,
  readQueueNums: 4,
  writeQueueNums: 4,
  perm,
  topicFilterType: 'SINGLE_TAG',
  topicSysFlag: 0,
  order: false,
});
const table = (...names: string[]): TopicConfigTable => new Map(names.map((name) => [name, topic(name)]));

/** A source that a test turns. */
class TurnableSource implements TopicSource {
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

describe('TopicConfigManager', () => {
  let directory: string;
  let clock: ManualClock;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rmqns-test-'));
    clock = new ManualClock(1_000);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const manager = (sources: readonly TopicSource[], options: Partial<TopicConfigManagerOptions> = {}) =>
    new TopicConfigManager({
      sources,
      brokerTopics: new Map(),
      brokerPermission: 6,
      minimum: 0,
      store: new DataVersionStore(join(directory, 'state')),
      persist: true,
      clock,
      logger: silentLogger,
      ...options,
    });
  /** Publishes what the sources hold, as a process that runs for that long. */
  const publish = async (sources: readonly TopicSource[], options: Partial<TopicConfigManagerOptions> = {}) => {
    const once = manager(sources, options);
    await once.start(() => {});
    await once.close();
    return once.published;
  };

  it('publishes the union of its sources, the earlier one winning, then the broker topics', async () => {
    const first = new TurnableSource({ table: new Map([['A', topic('A', 4)]]) });
    const second = new TurnableSource({
      table: new Map([
        ['A', topic('A', 6)],
        ['C', topic('C', 2)],
      ]),
    });
    const published = await publish([first, second], { brokerTopics: brokerTopics('C', 'b') });
    expect([...(published?.topicConfigTable ?? [])].map(([name, { perm }]) => [name, perm])).to.deep.equal([
      ['A', 4],
      ['C', 2],
      ['b', 7],
    ]);
  });

  it('has the same version after a restart, and the next when the table changed meanwhile', async () => {
    const first = await publish([new TurnableSource({ table: table('A', 'B') })]);
    expect(first?.dataVersion).to.deep.equal({ counter: 0, timestamp: 1_000, stateVersion: 0 });
    clock.advance(500);
    const again = await publish([new TurnableSource({ table: table('B', 'A') })]);
    expect(again?.dataVersion).to.deep.equal(first?.dataVersion);
    clock.jump(-10_000);
    const changed = await publish([new TurnableSource({ table: table('A') })]);
    expect(changed?.dataVersion).to.deep.equal({ counter: 1, timestamp: 1_000, stateVersion: 0 });
  });

  describe('ordered topics of name servers', () => {
    const ordered = ({ published }: TopicConfigManager): unknown => [
      published?.dataVersion.counter,
      [...(published?.topicConfigTable ?? [])].filter(([, { order }]) => order).map(([name]) => name),
    ];
    const orderOf = (...topics: string[]): Map<string, string> => new Map(topics.map((name) => [name, 'broker-a:4']));

    it('set the flag of those and clear it of all others: counter + 1, on the disk, for the next round to carry (R24)', async () => {
      const running = manager([new TurnableSource({ table: table('TopicA', 'TopicB') })]);
      let changes = 0;
      await running.start(() => {
        changes++;
      });
      expect(ordered(running)).to.deep.equal([0, []]);
      await running.updateOrderTopicConfig(orderOf('TopicA', 'Elsewhere'));
      await running.updateOrderTopicConfig(orderOf('TopicA', 'Elsewhere'));
      await running.close();
      expect([ordered(running), changes]).to.deep.equal([[1, ['TopicA']], 0]);
      const { wrapper } = await new DataVersionStore(join(directory, 'state')).load();
      expect([wrapper?.dataVersion.counter, wrapper?.topicConfigTable?.get('TopicA')?.order]).to.deep.equal([1, true]);
    });

    it('stay over a restart, and go when a later table does not have them', async () => {
      const before = manager([new TurnableSource({ table: table('TopicA') })]);
      await before.start(() => {});
      await before.updateOrderTopicConfig(orderOf('TopicA'));
      await before.close();
      const after = manager([new TurnableSource({ table: table('TopicA') })]);
      await after.start(() => {});
      expect(ordered(after)).to.deep.equal([1, ['TopicA']]);
      await after.updateOrderTopicConfig(orderOf());
      await after.close();
      expect(ordered(after)).to.deep.equal([2, []]);
    });
  });

  it('tells of a change once it is on the disk, and of nothing else', async () => {
    const source = new TurnableSource({ table: table('A') });
    const running = manager([source]);
    const versions: unknown[] = [];
    let told = (): void => {};
    await running.start(() => {
      versions.push(running.published?.dataVersion.counter);
      told();
    });
    source.turn({ table: table('A'), dataVersion: { counter: 9, timestamp: 9, stateVersion: 0 } });
    const change = new Promise<void>((resolve) => {
      told = resolve;
    });
    source.turn({ table: table('A', 'B'), dataVersion: { counter: 10, timestamp: 9_000, stateVersion: 0 } });
    await change;
    expect(versions).to.deep.equal([10]);
    const stored = await new DataVersionStore(join(directory, 'state')).load();
    expect(stored.wrapper).to.deep.equal({
      dataVersion: { counter: 10, timestamp: 9_000, stateVersion: 0 },
      topicConfigTable: new Map(
        [...table('A', 'B')].map(([name, config]) => [name, { ...config, attributes: new Map() }]),
      ),
      topicQueueMappingInfoMap: new Map(),
    });
    await running.close();
  });

  it('follows the version of a single source, and of none where several make the table', async () => {
    const versioned = new TurnableSource({
      table: table('A'),
      dataVersion: { counter: 7, timestamp: 5, stateVersion: 0 },
    });
    const both = await publish([versioned, new TurnableSource({ table: table('B') })], {
      store: new DataVersionStore(join(directory, 'other')),
    });
    expect(both?.dataVersion.counter).to.equal(0);
    expect((await publish([versioned]))?.dataVersion).to.deep.equal({ counter: 7, timestamp: 5, stateVersion: 0 });
  });

  it('goes on with what was registered last as long as a source has nothing', async () => {
    await publish([new TurnableSource({ table: table('A', 'B') })]);
    const source = new TurnableSource(undefined);
    const running = manager([source]);
    const told = new Promise<void>(
      (resolve) => void running.start(() => resolve()).then(() => source.turn({ table: table() })),
    );
    await told;
    expect(running.published?.topicConfigTable).to.deep.equal(new Map());
    await running.close();
    const fresh = await publish([new TurnableSource(undefined)], { store: new DataVersionStore(join(directory, 'x')) });
    expect(fresh).to.equal(undefined);
  });

  it('keeps what was registered last at a restart without the file, says so, and takes the file once it is there, also with no topics', async () => {
    const path = join(directory, 'config', 'topics.json');
    const fileSource = () => new TopicsJsonSource({ path, clock, logger: silentLogger, debounceMillis: 5 });
    await mkdir(join(directory, 'config'));
    await writeFile(path, topicsJsonText(['A', 'B'], 3));
    const first = await publish([fileSource()]);
    await rename(join(directory, 'config'), join(directory, 'unmounted'));

    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
    const source = fileSource();
    const running = manager([source], { logger });
    const change = new Promise<void>((resolve) => {
      void running
        .start(() => resolve())
        .then(async () => {
          expect(running.published).to.deep.equal(first);
          await mkdir(join(directory, 'config'));
          await writeFile(path, topicsJsonText([], 4));
          await source.look();
        });
    });
    await change;
    expect(running.published?.topicConfigTable).to.deep.equal(new Map());
    expect(running.published?.dataVersion.counter).to.equal(4);
    await running.close();
    expect(warnings).to.deep.equal([
      [{ sources: [path], topics: 2 }, 'a source is not there: the topics registered last stay until it is'],
    ]);
  });

  it('follows its other sources while one is not there', async () => {
    const absent = new TurnableSource({ table: table(), absent: true });
    await publish([new TurnableSource({ table: table('A') }), new TurnableSource({ table: table('B') })]);
    const running = manager([absent, new TurnableSource({ table: table('A', 'C') })]);
    await running.start(() => {});
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'C', 'B']);
    await running.close();
  });

  it('leaves out, compressed, topics that no compressed registration can hold, and says so once', async () => {
    await publish([new TurnableSource({ table: table('A', 'B C') })]);
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
    const torn = await publish([new TurnableSource(undefined)], { compressed: true });
    expect(torn?.dataVersion.counter).to.equal(1);
    expect([...(torn?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);

    const source = new TurnableSource({ table: table('A', 'B C') });
    const running = manager([source], { compressed: true, logger });
    const change = new Promise<void>((resolve) => {
      void running
        .start(() => resolve())
        .then(() => {
          expect(running.published?.dataVersion.counter).to.equal(1);
          source.turn({ table: table('B C', 'D') });
        });
    });
    await change;
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['D']);
    await running.close();
    expect(warnings).to.deep.equal([
      [{ topics: ['B C'] }, 'topics that cannot be registered compressed are left out: no broker accepts them'],
    ]);
  });

  it('says how many topics were added, removed and changed, and that the version cannot be counted on', async () => {
    const lines: unknown[] = [];
    const tell = (...line: unknown[]): void => void lines.push(line);
    const logger = { ...silentLogger, info: tell, error: tell };
    const dataVersion = { counter: 9223372036854775807n, timestamp: 5, stateVersion: 0 };
    await publish([new TurnableSource({ table: table('A', 'B', 'C') })]);
    const after = new Map([...table('A', 'D'), ['B', topic('B', 4)] as const]);
    const published = await publish([new TurnableSource({ table: after, dataVersion })], { logger });
    expect(lines).to.deep.equal([
      [
        { dataVersion: published?.dataVersion },
        'the data version cannot be counted on, name servers may keep an old table',
      ],
      [{ topics: 3, added: 1, removed: 1, changed: 1 }, 'the topic table changed'],
    ]);
  });

  it('takes with first the first source that has topics, and never replaces what was registered by those of a later one', async () => {
    const first = new TurnableSource(undefined);
    const options = { merge: 'first' as const };
    const sources = [first, new TurnableSource({ table: table('B', 'C') })];
    const running = manager(sources, options);
    await running.start(() => {});
    const topics = () => [...(running.published?.topicConfigTable?.keys() ?? [])];
    expect(topics()).to.deep.equal(['B', 'C']);
    first.turn({ table: table('A') });
    await running.updateBrokerPermission(6);
    await running.close();
    expect(topics()).to.deep.equal(['A']);

    const again = await publish([new TurnableSource(undefined), sources[1] as TurnableSource], options);
    expect([...(again?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);
    const absent = new TurnableSource({ table: table(), absent: true });
    const kept = await publish([absent, sources[1] as TurnableSource], options);
    expect([...(kept?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['B', 'C', 'A']);
  });

  it('publishes with strict nothing that sources contradict each other in, says so once, and goes on when they agree', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const second = new TurnableSource({ table: table('A', 'B') });
    const running = manager([new TurnableSource({ table: table('A') }), second], { merge: 'strict', logger });
    await running.start(() => {});
    expect(running.published?.topicConfigTable?.size).to.equal(2);
    const contrary = new Map([['A', topic('A', 4)]]);
    for (const _ of [1, 2]) second.turn({ table: contrary });
    await running.updateOrderTopicConfig(new Map());
    expect(running.published?.topicConfigTable?.size).to.equal(2);
    expect(running.problem).to.equal('sources contradict each other in A');
    expect(warnings).to.deep.equal([{ problem: running.problem }]);
    second.turn({ table: table('A') });
    await running.updateBrokerPermission(6);
    await running.close();
    expect(running.published?.topicConfigTable?.size).to.equal(1);
    expect(running.problem).to.equal(undefined);
  });

  it('waits for a state directory that cannot be used yet, says so once, and can be closed meanwhile', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const blocked = join(directory, 'blocked');
    await writeFile(blocked, '');
    const state = join(blocked, 'state');
    let tries = 0;
    const store = new (class extends DataVersionStore {
      override async prepare(): Promise<void> {
        await super.prepare().finally(() => (tries += 1));
      }
    })(state);
    const running = manager([new TurnableSource({ table: table('A') })], { store, logger });
    const started = running.start(() => {}, 5_000);
    const problem = 'a file is where a directory should be';
    for (const tried of [1, 2]) {
      while (tries < tried) await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(running.stateProblem).to.equal(problem);
      if (tried === 2) await rm(blocked);
      clock.advance(5_000);
    }
    await started;
    expect(running.stateProblem).to.equal(undefined);
    expect(warnings).to.deep.equal([{ directory: state, problem }]);
    await running.close();

    const mounted = new DataVersionStore(join(directory, 'mounted', 'state'), join(directory, 'mounted'));
    const waiting = manager([new TurnableSource({ table: table('A') })], { store: mounted });
    const ended = waiting.start(() => {}, 5_000);
    while (waiting.stateProblem === undefined) await new Promise(setImmediate);
    expect(waiting.stateProblem).to.equal('there is no such file');
    await waiting.close();
    await ended;
    expect(waiting.published).to.equal(undefined);
    expect(await readdir(directory)).to.deep.equal(['blocked']);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('makes one change of those that several sources have within its debounce time, however often they come', async () => {
    const sources = [new TurnableSource({ table: table('A') }), new TurnableSource({ table: table('B') })];
    const running = manager(sources, { debounceMillis: 500 });
    const changes: (number | undefined)[] = [];
    await running.start(() => changes.push(running.published?.topicConfigTable?.size));
    sources[0]?.turn({ table: table('A', 'A1') });
    for (let i = 1; i <= 5; i++) {
      clock.advance(100);
      sources[1]?.turn({ table: table('B', `B${i}`) });
    }
    await running.updateOrderTopicConfig(new Map());
    expect(changes).to.deep.equal([4]);
    expect(running.published?.topicConfigTable?.has('B5')).to.equal(true);
    await running.close();
    expect(clock.pendingTimers).to.equal(0);
  });

  it('goes on with what was registered last while a source takes long, and takes its topics when they come', async () => {
    await publish([new TurnableSource({ table: table('A') })]);
    const slow = new TurnableSource(undefined);
    let looked = (): void => {};
    const slowStarted = new Promise<void>((began) => {
      slow.start = () => {
        began();
        return new Promise((resolve) => (looked = resolve));
      };
    });
    const running = manager([slow, new TurnableSource({ table: table('B') })]);
    const started = running.start(() => {}, 5_000);
    await slowStarted;
    clock.advance(5_000);
    await started;
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);
    slow.current = { table: table('A', 'C') };
    looked();
    await new Promise((resolve) => setImmediate(resolve));
    await running.close();
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'C', 'B']);
  });

  it('does not publish fewer topics than the minimum', async () => {
    await publish([new TurnableSource({ table: table('A', 'B') })]);
    const few = await publish([new TurnableSource({ table: table() })], { minimum: 1 });
    expect([...(few?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'B']);
  });

  it('has versions for parts of its table that rise, also over a restart that came before they were written', async () => {
    const source = new TurnableSource({ table: table('A', 'B') });
    const first = manager([source], { split: true });
    await first.start(() => {});
    const counters: number[] = [];
    for (let part = 0; part < 1_200; part++) counters.push(Number(first.nextDataVersion().counter));
    expect(counters).to.deep.equal([...counters.keys()].map((index) => index + 1));
    expect(first.published?.dataVersion.counter).to.equal(1_200);
    await first.close();
    const second = manager([source], { split: true });
    await second.start(() => {});
    expect(Number(second.nextDataVersion().counter)).to.be.greaterThan(1_200);
    expect(() => manager([source]).nextDataVersion()).to.throw('there is no topic table yet');
    await second.close();
  });

  it('keeps its file for the owner alone, and nothing else beside it', async () => {
    await publish([new TurnableSource({ table: table('A') })]);
    await publish([new TurnableSource({ table: table('A') })]);
    const state = join(directory, 'state');
    expect(await readdir(state)).to.deep.equal(['registered-topics.json']);
    expect((await stat(state)).mode & 0o777).to.equal(0o700);
    expect((await stat(join(state, 'registered-topics.json'))).mode & 0o777).to.equal(0o600);
  });

  it('writes nothing when it is only asked what would be sent', async () => {
    await publish([new TurnableSource({ table: table('A') })], { persist: false });
    expect(await readdir(directory)).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['torn', '{"filterServerList":[],"topicConf'],
    ['empty', ''],
  ] as const)
    it(`begins anew when its file is ${what}, and says so`, async () => {
      const path = join(directory, 'state', 'registered-topics.json');
      await publish([new TurnableSource({ table: table('A') })]);
      await writeFile(path, text);
      const warnings: object[] = [];
      const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
      clock.advance(1);
      const published = await publish([new TurnableSource({ table: table('A') })], { logger });
      expect(published?.dataVersion).to.deep.equal({ counter: 0, timestamp: 1_001, stateVersion: 0 });
      expect(warnings[0]).to.include({ file: path });
      expect((await readFile(path)).length).to.be.greaterThan(100);
    });

  it('tries again to keep what could not be written, says so once, and has no older version after a restart', async () => {
    const state = join(directory, 'state');
    const said: string[] = [];
    const hear = (_: object, message?: string): void => void said.push(message ?? '');
    const source = new TurnableSource({ table: table('A') });
    const topics = manager([source], { logger: { ...silentLogger, error: hear } });
    await topics.start(() => {});
    await rm(state, { recursive: true });
    await writeFile(state, 'in the way');
    for (const name of ['B', 'C']) {
      source.turn({ table: table(name) });
      // Settles after what waits already.
      await topics.updateBrokerPermission(6);
    }
    expect(topics.keepProblem).to.be.a('string');
    expect(said).to.deep.equal(['cannot keep the data version over a restart']);
    await rm(state);
    while (topics.keepProblem !== undefined) await clock.advanceAsync(1_000, 1_000);
    await topics.close();
    expect(clock.pendingTimers).to.equal(0);
    const after = await publish([new TurnableSource({ table: table('C') })]);
    expect(after?.dataVersion).to.deep.equal(topics.published?.dataVersion);
    expect(after?.dataVersion.counter).to.equal(2);
  });

  it('cannot start where it may not write', async () => {
    if (process.getuid?.() === 0) {
      // root may write anywhere: a file in the way stands for the missing right
      await writeFile(join(directory, 'state'), '');
    } else await chmod(directory, 0o500);
    const error = await publish([new TurnableSource({ table: table('A') })]).catch((caught: unknown) => caught);
    expect((error as NodeJS.ErrnoException).code).to.be.oneOf(['EACCES', 'EEXIST', 'ENOTDIR']);
    await chmod(directory, 0o700);
  });

  it('has a version that moves forward when the table changes and stays otherwise, over restarts and jumps of the clock', async () => {
    const step = fc.record({
      topics: fc.subarray(['A', 'B', 'C']),
      counter: fc.option(fc.nat(12), { nil: undefined }),
      jumpMillis: fc.integer({ min: -5_000, max: 5_000 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        run += 1;
        const store = new DataVersionStore(join(directory, `run-${run}`));
        let before: Awaited<ReturnType<typeof publish>>;
        for (const { topics, counter, jumpMillis } of steps) {
          clock.jump(jumpMillis);
          const dataVersion = counter === undefined ? undefined : { counter, timestamp: counter, stateVersion: 0 };
          const after = await publish([new TurnableSource({ table: table(...topics), dataVersion })], { store });
          const same = [...(before?.topicConfigTable?.keys() ?? [])].join() === topics.join() && before !== undefined;
          if (same) expect(after?.dataVersion).to.deep.equal(before?.dataVersion);
          else if (before !== undefined) {
            expect(Number(after?.dataVersion.counter)).to.be.greaterThan(Number(before.dataVersion.counter));
            expect(Number(after?.dataVersion.timestamp)).to.be.at.least(Number(before.dataVersion.timestamp));
          }
          before = after;
        }
      }),
      { numRuns: 25 },
    );
  });
});
