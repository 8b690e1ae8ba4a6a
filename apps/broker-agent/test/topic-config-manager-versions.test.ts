import { join } from 'node:path';
import { silentLogger } from '@rmqns/remoting';
import { expect } from 'chai';
import fc from 'fast-check';
import { DataVersionStore } from '../src/data-version-store.js';
import type { TopicConfigManager } from '../src/topic-config-manager.js';
import { TopicConfigHome, TurnableSource, table, topic } from './topic-config-home.js';

describe('the data version of TopicConfigManager', () => {
  let home: TopicConfigHome;
  beforeEach(() => {
    home = new TopicConfigHome();
  });
  afterEach(() => home[Symbol.dispose]());

  it('has the same version after a restart, and the next when the table changed meanwhile', async () => {
    const first = await home.publish([new TurnableSource({ table: table('A', 'B') })]);
    expect(first?.dataVersion).to.deep.equal({ counter: 0, timestamp: 1_000, stateVersion: 0 });
    home.clock.advance(500);
    const again = await home.publish([new TurnableSource({ table: table('B', 'A') })]);
    expect(again?.dataVersion).to.deep.equal(first?.dataVersion);
    home.clock.jump(-10_000);
    const changed = await home.publish([new TurnableSource({ table: table('A') })]);
    expect(changed?.dataVersion).to.deep.equal({ counter: 1, timestamp: 1_000, stateVersion: 0 });
  });

  describe('ordered topics of name servers', () => {
    const ordered = ({ published }: TopicConfigManager): unknown => [
      published?.dataVersion.counter,
      [...(published?.topicConfigTable ?? [])].filter(([, { order }]) => order).map(([name]) => name),
    ];
    const orderOf = (...topics: string[]): Map<string, string> => new Map(topics.map((name) => [name, 'broker-a:4']));

    it('set the flag of those and clear it of all others: counter + 1, on the disk, for the next round to carry (R24)', async () => {
      const running = home.manager([new TurnableSource({ table: table('TopicA', 'TopicB') })]);
      let changes = 0;
      await running.start(() => {
        changes++;
      });
      expect(ordered(running)).to.deep.equal([0, []]);
      await running.updateOrderTopicConfig(orderOf('TopicA', 'Elsewhere'));
      await running.updateOrderTopicConfig(orderOf('TopicA', 'Elsewhere'));
      await running.close();
      expect([ordered(running), changes]).to.deep.equal([[1, ['TopicA']], 0]);
      const { wrapper } = await new DataVersionStore(join(home.directory, 'state')).load();
      expect([wrapper?.dataVersion.counter, wrapper?.topicConfigTable?.get('TopicA')?.order]).to.deep.equal([1, true]);
    });

    it('stay over a restart, and go when a later table does not have them', async () => {
      const before = home.manager([new TurnableSource({ table: table('TopicA') })]);
      await before.start(() => {});
      await before.updateOrderTopicConfig(orderOf('TopicA'));
      await before.close();
      const after = home.manager([new TurnableSource({ table: table('TopicA') })]);
      await after.start(() => {});
      expect(ordered(after)).to.deep.equal([1, ['TopicA']]);
      await after.updateOrderTopicConfig(orderOf());
      await after.close();
      expect(ordered(after)).to.deep.equal([2, []]);
    });
  });

  it('tells of a change once it is on the disk, and of nothing else', async () => {
    const source = new TurnableSource({ table: table('A') });
    const running = home.manager([source]);
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
    const stored = await new DataVersionStore(join(home.directory, 'state')).load();
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
    const both = await home.publish([versioned, new TurnableSource({ table: table('B') })], {
      store: new DataVersionStore(join(home.directory, 'other')),
    });
    expect(both?.dataVersion.counter).to.equal(0);
    expect((await home.publish([versioned]))?.dataVersion).to.deep.equal({ counter: 7, timestamp: 5, stateVersion: 0 });
  });

  it('says how many topics were added, removed and changed, and that the version cannot be counted on', async () => {
    const lines: unknown[] = [];
    const tell = (...line: unknown[]): void => void lines.push(line);
    const logger = { ...silentLogger, info: tell, error: tell };
    const dataVersion = { counter: 9223372036854775807n, timestamp: 5, stateVersion: 0 };
    await home.publish([new TurnableSource({ table: table('A', 'B', 'C') })]);
    const after = new Map([...table('A', 'D'), ['B', topic('B', 4)] as const]);
    const published = await home.publish([new TurnableSource({ table: after, dataVersion })], { logger });
    expect(lines).to.deep.equal([
      [
        { dataVersion: published?.dataVersion },
        'the data version cannot be counted on, name servers may keep an old table',
      ],
      [{ topics: 3, added: 1, removed: 1, changed: 1 }, 'the topic table changed'],
    ]);
  });

  it('has versions for parts of its table that rise, also over a restart that came before they were written', async () => {
    const source = new TurnableSource({ table: table('A', 'B') });
    const first = home.manager([source], { split: true });
    await first.start(() => {});
    const counters: number[] = [];
    for (let part = 0; part < 1_200; part++) counters.push(Number(first.nextDataVersion().counter));
    expect(counters).to.deep.equal([...counters.keys()].map((index) => index + 1));
    expect(first.published?.dataVersion.counter).to.equal(1_200);
    await first.close();
    const second = home.manager([source], { split: true });
    await second.start(() => {});
    expect(Number(second.nextDataVersion().counter)).to.be.greaterThan(1_200);
    expect(() => home.manager([source]).nextDataVersion()).to.throw('there is no topic table yet');
    await second.close();
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
        const store = new DataVersionStore(join(home.directory, `run-${run}`));
        let before: Awaited<ReturnType<typeof home.publish>>;
        for (const { topics, counter, jumpMillis } of steps) {
          home.clock.jump(jumpMillis);
          const dataVersion = counter === undefined ? undefined : { counter, timestamp: counter, stateVersion: 0 };
          const after = await home.publish([new TurnableSource({ table: table(...topics), dataVersion })], { store });
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
