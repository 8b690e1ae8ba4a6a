import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@rmqns/remoting';
import { expect } from 'chai';
import { DataVersionStore } from '../src/data-version-store.js';
import { TopicConfigHome, TurnableSource, table } from './topic-config-home.js';

describe('the state file of TopicConfigManager', () => {
  let home: TopicConfigHome;
  beforeEach(() => {
    home = new TopicConfigHome();
  });
  afterEach(() => home[Symbol.dispose]());

  it('waits for a state directory that cannot be used yet, says so once, and can be closed meanwhile', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const blocked = join(home.directory, 'blocked');
    await writeFile(blocked, '');
    const state = join(blocked, 'state');
    let tries = 0;
    const store = new (class extends DataVersionStore {
      override async prepare(): Promise<void> {
        await super.prepare().finally(() => (tries += 1));
      }
    })(state);
    const running = home.manager([new TurnableSource({ table: table('A') })], { store, logger });
    const started = running.start(() => {}, 5_000);
    const problem = 'a file is where a directory should be';
    for (const tried of [1, 2]) {
      while (tries < tried) await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(running.stateProblem).to.equal(problem);
      if (tried === 2) await rm(blocked);
      home.clock.advance(5_000);
    }
    await started;
    expect(running.stateProblem).to.equal(undefined);
    expect(warnings).to.deep.equal([{ directory: state, problem }]);
    await running.close();

    const mounted = new DataVersionStore(join(home.directory, 'mounted', 'state'), join(home.directory, 'mounted'));
    const waiting = home.manager([new TurnableSource({ table: table('A') })], { store: mounted });
    const ended = waiting.start(() => {}, 5_000);
    while (waiting.stateProblem === undefined) await new Promise(setImmediate);
    expect(waiting.stateProblem).to.equal('there is no such file');
    await waiting.close();
    await ended;
    expect(waiting.published).to.equal(undefined);
    expect(await readdir(home.directory)).to.deep.equal(['blocked']);
    expect(home.clock.pendingTimers).to.equal(0);
  });

  it('keeps its file for the owner alone, and nothing else beside it', async () => {
    await home.publish([new TurnableSource({ table: table('A') })]);
    await home.publish([new TurnableSource({ table: table('A') })]);
    const state = join(home.directory, 'state');
    expect(await readdir(state)).to.deep.equal(['registered-topics.json']);
    expect((await stat(state)).mode & 0o777).to.equal(0o700);
    expect((await stat(join(state, 'registered-topics.json'))).mode & 0o777).to.equal(0o600);
  });

  it('removes what a process left that was killed while it wrote, and nothing else', async () => {
    const state = join(home.directory, 'state');
    await mkdir(state);
    for (const name of [
      'registered-topics.json.b494ee52-0db2-471b-851b-796c27221084.tmp',
      'registered-topics.json.old',
    ])
      await writeFile(join(state, name), '{"brokerPermission":6,"filterServerList":[],"topicConf');
    await home.publish([new TurnableSource({ table: table('A') })], { persist: false });
    expect(await readdir(state)).to.have.length(2);
    await home.publish([new TurnableSource({ table: table('A') })]);
    expect((await readdir(state)).sort()).to.deep.equal(['registered-topics.json', 'registered-topics.json.old']);
  });

  it('writes nothing when it is only asked what would be sent', async () => {
    await home.publish([new TurnableSource({ table: table('A') })], { persist: false });
    expect(await readdir(home.directory)).to.deep.equal([]);
  });

  for (const [what, text] of [
    ['torn', '{"filterServerList":[],"topicConf'],
    ['empty', ''],
  ] as const)
    it(`begins anew when its file is ${what}, and says so`, async () => {
      const path = join(home.directory, 'state', 'registered-topics.json');
      await home.publish([new TurnableSource({ table: table('A') })]);
      await writeFile(path, text);
      const warnings: object[] = [];
      const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
      home.clock.advance(1);
      const published = await home.publish([new TurnableSource({ table: table('A') })], { logger });
      expect(published?.dataVersion).to.deep.equal({ counter: 0, timestamp: 1_001, stateVersion: 0 });
      expect(warnings[0]).to.include({ file: path });
      expect((await readFile(path)).length).to.be.greaterThan(100);
    });

  it('tries again to keep what could not be written, says so once, and has no older version after a restart', async () => {
    const state = join(home.directory, 'state');
    const said: string[] = [];
    const hear = (_: object, message?: string): void => void said.push(message ?? '');
    const source = new TurnableSource({ table: table('A') });
    const topics = home.manager([source], { logger: { ...silentLogger, error: hear } });
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
    while (topics.keepProblem !== undefined) await home.clock.advanceAsync(1_000, 1_000);
    await topics.close();
    expect(home.clock.pendingTimers).to.equal(0);
    const after = await home.publish([new TurnableSource({ table: table('C') })]);
    expect(after?.dataVersion).to.deep.equal(topics.published?.dataVersion);
    expect(after?.dataVersion.counter).to.equal(2);
  });

  it('cannot start where it may not write', async () => {
    if (process.getuid?.() === 0) {
      // root may write anywhere: a file in the way stands for the missing right
      await writeFile(join(home.directory, 'state'), '');
    } else await chmod(home.directory, 0o500);
    const error = await home.publish([new TurnableSource({ table: table('A') })]).catch((caught: unknown) => caught);
    expect((error as NodeJS.ErrnoException).code).to.be.oneOf(['EACCES', 'EEXIST', 'ENOTDIR']);
    await chmod(home.directory, 0o700);
  });
});
