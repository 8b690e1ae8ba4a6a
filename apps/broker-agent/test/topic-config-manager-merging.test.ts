import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@rmqns/remoting';
import { expect } from 'chai';
import { brokerTopics } from '../src/broker-topics.js';
import { DataVersionStore } from '../src/data-version-store.js';
import { TopicsJsonSource } from '../src/topics-json-source.js';
import { TopicConfigHome, TurnableSource, table, topic } from './topic-config-home.js';
import { topicsJsonText } from './topics-json-text.js';

describe('the topics of TopicConfigManager', () => {
  let home: TopicConfigHome;
  beforeEach(() => {
    home = new TopicConfigHome();
  });
  afterEach(() => home[Symbol.dispose]());

  it('publishes the union of its sources, the earlier one winning, then the broker topics', async () => {
    const first = new TurnableSource({ table: new Map([['A', topic('A', 4)]]) });
    const second = new TurnableSource({
      table: new Map([
        ['A', topic('A', 6)],
        ['C', topic('C', 2)],
      ]),
    });
    const published = await home.publish([first, second], { brokerTopics: brokerTopics('C', 'b') });
    expect([...(published?.topicConfigTable ?? [])].map(([name, { perm }]) => [name, perm])).to.deep.equal([
      ['A', 4],
      ['C', 2],
      ['b', 7],
    ]);
  });

  it('goes on with what was registered last as long as a source has nothing', async () => {
    await home.publish([new TurnableSource({ table: table('A', 'B') })]);
    const source = new TurnableSource(undefined);
    const running = home.manager([source]);
    const told = new Promise<void>(
      (resolve) => void running.start(() => resolve()).then(() => source.turn({ table: table() })),
    );
    await told;
    expect(running.published?.topicConfigTable).to.deep.equal(new Map());
    await running.close();
    const fresh = await home.publish([new TurnableSource(undefined)], {
      store: new DataVersionStore(join(home.directory, 'x')),
    });
    expect(fresh).to.equal(undefined);
  });

  it('keeps what was registered last at a restart without the file, says so, and takes the file once it is there, also with no topics', async () => {
    const path = join(home.directory, 'config', 'topics.json');
    const fileSource = () => new TopicsJsonSource({ path, clock: home.clock, logger: silentLogger, debounceMillis: 5 });
    await mkdir(join(home.directory, 'config'));
    await writeFile(path, topicsJsonText(['A', 'B'], 3));
    const first = await home.publish([fileSource()]);
    await rename(join(home.directory, 'config'), join(home.directory, 'unmounted'));

    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
    const source = fileSource();
    const running = home.manager([source], { logger });
    const change = new Promise<void>((resolve) => {
      void running
        .start(() => resolve())
        .then(async () => {
          expect(running.published).to.deep.equal(first);
          await mkdir(join(home.directory, 'config'));
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
    await home.publish([new TurnableSource({ table: table('A') }), new TurnableSource({ table: table('B') })]);
    const running = home.manager([absent, new TurnableSource({ table: table('A', 'C') })]);
    await running.start(() => {});
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'C', 'B']);
    await running.close();
  });

  it('leaves out, compressed, topics that no compressed registration can hold, and says so once', async () => {
    await home.publish([new TurnableSource({ table: table('A', 'B C') })]);
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
    const torn = await home.publish([new TurnableSource(undefined)], { compressed: true });
    expect(torn?.dataVersion.counter).to.equal(1);
    expect([...(torn?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);

    const source = new TurnableSource({ table: table('A', 'B C') });
    const running = home.manager([source], { compressed: true, logger });
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

  it('takes with first the first source that has topics, and never replaces what was registered by those of a later one', async () => {
    const first = new TurnableSource(undefined);
    const options = { merge: 'first' as const };
    const sources = [first, new TurnableSource({ table: table('B', 'C') })];
    const running = home.manager(sources, options);
    await running.start(() => {});
    const topics = () => [...(running.published?.topicConfigTable?.keys() ?? [])];
    expect(topics()).to.deep.equal(['B', 'C']);
    first.turn({ table: table('A') });
    await running.updateBrokerPermission(6);
    await running.close();
    expect(topics()).to.deep.equal(['A']);

    const again = await home.publish([new TurnableSource(undefined), sources[1] as TurnableSource], options);
    expect([...(again?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);
    const absent = new TurnableSource({ table: table(), absent: true });
    const kept = await home.publish([absent, sources[1] as TurnableSource], options);
    expect([...(kept?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['B', 'C', 'A']);
  });

  it('publishes with strict nothing that sources contradict each other in, says so once, and goes on when they agree', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const second = new TurnableSource({ table: table('A', 'B') });
    const running = home.manager([new TurnableSource({ table: table('A') }), second], { merge: 'strict', logger });
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

  it('makes one change of those that several sources have within its debounce time, however often they come', async () => {
    const sources = [new TurnableSource({ table: table('A') }), new TurnableSource({ table: table('B') })];
    const running = home.manager(sources, { debounceMillis: 500 });
    const changes: (number | undefined)[] = [];
    await running.start(() => changes.push(running.published?.topicConfigTable?.size));
    sources[0]?.turn({ table: table('A', 'A1') });
    for (let i = 1; i <= 5; i++) {
      home.clock.advance(100);
      sources[1]?.turn({ table: table('B', `B${i}`) });
    }
    await running.updateOrderTopicConfig(new Map());
    expect(changes).to.deep.equal([4]);
    expect(running.published?.topicConfigTable?.has('B5')).to.equal(true);
    await running.close();
    expect(home.clock.pendingTimers).to.equal(0);
  });

  it('goes on with what was registered last while a source takes long, and takes its topics when they come', async () => {
    await home.publish([new TurnableSource({ table: table('A') })]);
    const slow = new TurnableSource(undefined);
    let looked = (): void => {};
    const slowStarted = new Promise<void>((began) => {
      slow.start = () => {
        began();
        return new Promise((resolve) => (looked = resolve));
      };
    });
    const running = home.manager([slow, new TurnableSource({ table: table('B') })]);
    const started = running.start(() => {}, 5_000);
    await slowStarted;
    home.clock.advance(5_000);
    await started;
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A']);
    slow.current = { table: table('A', 'C') };
    looked();
    await new Promise((resolve) => setImmediate(resolve));
    await running.close();
    expect([...(running.published?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'C', 'B']);
  });

  it('does not publish fewer topics than the minimum', async () => {
    await home.publish([new TurnableSource({ table: table('A', 'B') })]);
    const few = await home.publish([new TurnableSource({ table: table() })], { minimum: 1 });
    expect([...(few?.topicConfigTable?.keys() ?? [])]).to.deep.equal(['A', 'B']);
  });
});
